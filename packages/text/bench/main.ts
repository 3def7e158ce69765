/**
 * `npm run bench:grammar`: compares our grammars with XGrammar's WebAssembly on the same schemas and tokens.
 * Progress goes to stderr. With `--json` the last line of stdout is one JSON object `{rows}`.
 */
import { createCommand } from "../../../trainer/src/commands/command-line.ts";
import type { BenchRow } from "../../runtime/bench/row.ts";
import { openOurs, openXGrammar } from "./masker.ts";
import { measureKeywords } from "./measure-keywords.ts";
import { measureSize } from "./measure-size.ts";
import { measureSpeed } from "./measure-speed.ts";
import { measureTools } from "./measure-tools.ts";
import { readToolSchemas } from "./tools.ts";
import { largeVocabulary, nanoVocabulary } from "./vocabularies.ts";

const program = createCommand("npm run bench:grammar --")
  .description("compare grammars with web-xgrammar: first their outputs, then their speed")
  .option("--quick", "run only a few tools, as a quick check", false)
  .option("--json", "print one JSON object instead of a table", false)
  .parse();
const { quick, json } = program.opts<{ quick: boolean; json: boolean }>();

const report = (line: string): void => console.error(line);
const rows: BenchRow[] = [];
const add = (...more: readonly BenchRow[]): void => {
  for (const row of more) report(`   ${JSON.stringify(row)}`);
  rows.push(...more);
};

const nano = nanoVocabulary();
const ours = await openOurs(nano);
const peer = await openXGrammar(nano);
const both = { ours, peer, vocabulary: nano, report };

report("── keywords of JSON Schema");
add(...(await measureKeywords({ ...both, draws: quick ? 5 : 200 })));
report("── BFCL tools");
const schemas = readToolSchemas().slice(0, quick ? 20 : undefined);
const tools = await measureTools({ ...both, schemas, draws: quick ? 2 : 10 });
add(...tools.rows);
report(`   ${tools.texts.size} of ${schemas.length} tools have a text that both take`);
for (const vocabulary of [nano, largeVocabulary(32_000), largeVocabulary(152_000)]) {
  report(`── speed, vocabulary of ${vocabulary.name}`);
  const open = [() => openOurs(vocabulary), () => openXGrammar(vocabulary)] as const;
  add(...(await measureSpeed({ open, vocabulary, texts: tools.texts })));
}
report("── size");
add(...(await measureSize(peer.name)));
if (json) console.log(JSON.stringify({ rows }));
else console.table(rows);
