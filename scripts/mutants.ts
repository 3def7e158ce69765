/**
 * `npm run test:mutants`: inserts known mistakes into the learning code, one at a time, and counts how many the tests
 * catch. Results of an earlier run with the same code are reused. A complete run is recorded in docs/evidence.
 */
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Mutant } from "../test/mutants/mutant.ts";
import { MUTANTS } from "../test/mutants/mutants.ts";
import { createMutantRunner, type MutantResult } from "./mutant-runner.ts";
import { mutantReport } from "./mutant-report.ts";
import { createCommand } from "../trainer/src/commands/command-line.ts";
import { positive } from "../trainer/src/options/option-values.ts";
import { ROOT } from "./root.ts";

/** Share of mutants that the tests must catch. */
const MIN_CAUGHT = 0.95;
const LOG = join(ROOT, ".waggle/mutants.jsonl");

const program = createCommand("npm run test:mutants --")
  .description("insert known mistakes into the learning code and count those that tests catch")
  .option("--only <id...>", "run only these mutants")
  .option("--sample <n>", "run n mutants, spread over the list", positive)
  .option("--fresh", "ignore results of earlier runs", false)
  .option("--json", "print JSON lines; the last one has the totals", false)
  .parse();
const { only, sample, fresh, json } = program.opts<{
  only?: string[];
  sample?: number;
  fresh: boolean;
  json: boolean;
}>();

const unknown = (only ?? []).filter((id) => MUTANTS.every((mutant) => mutant.id !== id));
if (unknown.length > 0) {
  console.error(`no such mutant: ${unknown.join(", ")}; see test/mutants`);
  process.exit(2);
}
const chosen = MUTANTS.filter(({ id }, i) => {
  if (only !== undefined) return only.includes(id);
  if (sample === undefined) return true;
  const stride = Math.max(1, Math.floor(MUTANTS.length / sample));
  return i % stride === 0 && i / stride < sample;
});

/** Hash of the mutant, its file and its tests. */
function keyOf(mutant: Mutant): string {
  const hash = createHash("sha256").update(JSON.stringify(mutant));
  for (const file of [mutant.file, ...mutant.tests]) hash.update(readFileSync(join(ROOT, file)));
  return hash.digest("hex").slice(0, 16);
}

type Logged = MutantResult & { readonly key: string };
const known = new Map<string, Logged>();
if (existsSync(LOG) && !fresh) {
  for (const line of readFileSync(LOG, "utf8").split("\n").filter(Boolean)) {
    const result = JSON.parse(line) as Logged;
    known.set(result.key, result);
  }
}
mkdirSync(dirname(LOG), { recursive: true });

const say = (text: string): void => (json ? console.error(text) : console.log(text));
const runner = await createMutantRunner(ROOT);
const results: MutantResult[] = [];
try {
  const missing = chosen.filter((mutant) => !known.has(keyOf(mutant)));
  if (missing.length > 0) {
    // A test that already fails would catch every mutant.
    const tests = [...new Set(missing.flatMap(({ tests: files }) => files))];
    const { by } = await runner.run(null, tests);
    if (by !== null) throw new Error(`without a mutant, this test fails: ${by}; fix it first`);
  }
  for (const [i, mutant] of chosen.entries()) {
    const key = keyOf(mutant);
    const before = known.get(key);
    const result = before ?? (await runner.run(mutant, mutant.tests));
    if (before === undefined) appendFileSync(LOG, `${JSON.stringify({ ...result, key })}\n`);
    results.push(result);
    const words = result.caught ? `caught by "${result.by}"` : `SURVIVED: ${mutant.breaks}`;
    if (json) console.log(JSON.stringify({ ...result, breaks: mutant.breaks }));
    else say(`${i + 1}/${chosen.length}  ${mutant.id}  ${words}`);
  }
} finally {
  await runner.close();
}
const caught = results.filter((result) => result.caught).length;
const totals = { mutants: results.length, caught, survived: results.length - caught };
if (chosen.length === MUTANTS.length) {
  const folder = join(ROOT, "docs/evidence");
  const { record, page } = mutantReport(MUTANTS, results);
  writeFileSync(join(folder, "mutants.json"), record);
  writeFileSync(join(folder, "mutants.md"), page);
}
console.log(json ? JSON.stringify(totals) : `${caught} of ${results.length} mutants were caught`);
process.exit(caught >= MIN_CAUGHT * results.length ? 0 : 1);
