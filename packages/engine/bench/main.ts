/**
 * `npm run bench:engine`: measures the training engine against its peers. Progress goes to stderr;
 * with `--json` the last line of stdout is one JSON object `{rows}`.
 */
import { Command } from "commander";
import type { BenchRow } from "../../runtime/bench/row.ts";
import type { EngineScenario } from "./scenario.ts";
import { largeStep } from "./scenarios/large-step.ts";
import { tokenCost } from "./scenarios/token-cost.ts";
import { versusPeers } from "./scenarios/versus-peers.ts";
import { vocabularyMemory } from "./scenarios/vocabulary-memory.ts";

const SCENARIOS: readonly EngineScenario[] = [
  versusPeers("S"),
  versusPeers("M"),
  tokenCost,
  vocabularyMemory,
  largeStep,
];

const program = new Command("npm run bench:engine --")
  .description(
    "Measures the training engine against its peers; gradients are compared before speed.",
  )
  .option("--only <names>", SCENARIOS.map(({ name }) => name).join(", "))
  .option("--quick", "one round each: whether it runs, not figures", false)
  .option("--json", "one JSON object as the last line, not a table", false)
  .parse();
const options = program.opts<{ only?: string; quick: boolean; json: boolean }>();

const names = options.only?.split(",") ?? SCENARIOS.map(({ name }) => name);
const unknown = names.filter((name) => SCENARIOS.every((scenario) => scenario.name !== name));
if (unknown.length > 0) program.error(`--only must name scenarios, got ${unknown.join(", ")}`);

const report = (line: string): void => console.error(line);
const rows: BenchRow[] = [];
for (const scenario of SCENARIOS.filter(({ name }) => names.includes(name))) {
  report(`── ${scenario.name}: ${scenario.description}`);
  for await (const row of scenario.run({ quick: options.quick, threads: 2, report })) {
    report(`   ${JSON.stringify(row)}`);
    rows.push(row);
  }
}
if (!rows.every(({ agree }) => agree)) {
  report("some gradients do not agree: their speed means nothing");
  process.exitCode = 1;
}
if (options.json) console.log(JSON.stringify({ rows }));
else console.table(rows);
