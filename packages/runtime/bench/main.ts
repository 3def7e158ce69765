/**
 * `npm run bench:runtime`: measures the runtime against its peers. Progress goes to stderr; with
 * `--json` the last line of stdout is one JSON object `{rows}`.
 */
import { Command } from "commander";
import { openBenchPage } from "./bench-page.ts";
import type { BenchRow } from "./row.ts";
import type { Scenario } from "./scenario.ts";
import { adapterCost } from "./scenarios/adapter-cost.ts";
import { constrained } from "./scenarios/constrained.ts";
import { contextGrowth } from "./scenarios/context-growth.ts";
import { deviceCheckWasm } from "./scenarios/device-check-wasm.ts";
import { deviceCheck } from "./scenarios/device-check.ts";
import { distribution } from "./scenarios/distribution.ts";
import { groupFloor } from "./scenarios/group-floor.ts";
import { grouped, groupedWebgpu } from "./scenarios/grouped.ts";
import { logProbs } from "./scenarios/log-probs.ts";
import { quantized } from "./scenarios/quantized.ts";
import { versusBareLoop } from "./scenarios/versus-bare-loop.ts";
import {
  versusTransformersWasm,
  versusTransformersWebgpu,
} from "./scenarios/versus-transformers.ts";

const SCENARIOS: readonly Scenario[] = [
  versusTransformersWasm,
  versusTransformersWebgpu,
  versusBareLoop,
  grouped,
  groupedWebgpu,
  groupFloor,
  contextGrowth,
  deviceCheck,
  deviceCheckWasm,
  adapterCost,
  logProbs,
  quantized,
  distribution,
  constrained,
];

const program = new Command("npm run bench:runtime --")
  .description("Measures the runtime against its peers; outputs are compared before speed.")
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
  const measured = scenario.run({
    quick: options.quick,
    report,
    page: () => openBenchPage(report),
  });
  for await (const row of measured) {
    report(`   ${JSON.stringify(row)}`);
    rows.push(row);
  }
}
if (!rows.every(({ agree }) => agree)) {
  report("some outputs do not agree: their speed means nothing");
  process.exitCode = 1;
}
if (options.json) console.log(JSON.stringify({ rows }));
else console.table(rows);
