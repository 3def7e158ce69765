/**
 * `npm run bench:runtime`: measures the runtime against its peers. Progress goes to stderr; with
 * `--json` the last line of stdout is one JSON object `{rows}`.
 */
import { runBench } from "./bench-command.ts";
import { openBenchPage } from "./bench-page.ts";
import type { Scenario } from "./scenario.ts";
import { adapterCost } from "./scenarios/adapter-cost.ts";
import { coldStart } from "./scenarios/cold-start.ts";
import { constrained } from "./scenarios/constrained.ts";
import { contextGrowth } from "./scenarios/context-growth.ts";
import { deviceCheckWasm } from "./scenarios/device-check-wasm.ts";
import { deviceCheck } from "./scenarios/device-check.ts";
import { distribution } from "./scenarios/distribution.ts";
import { groupFloor } from "./scenarios/group-floor.ts";
import { grouped, groupedWebgpu } from "./scenarios/grouped.ts";
import { kernels } from "./scenarios/kernels.ts";
import { logProbs } from "./scenarios/log-probs.ts";
import { memory } from "./scenarios/memory.ts";
import { quantized } from "./scenarios/quantized.ts";
import { versusBareLoop } from "./scenarios/versus-bare-loop.ts";
import {
  versusTransformersWasm,
  versusTransformersWebgpu,
} from "./scenarios/versus-transformers.ts";
import { versusWllama } from "./scenarios/versus-wllama.ts";

const SCENARIOS: readonly Scenario[] = [
  versusTransformersWasm,
  versusTransformersWebgpu,
  versusWllama,
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
  kernels,
  memory,
  distribution,
  constrained,
  coldStart,
];

await runBench({
  command: "npm run bench:runtime --",
  description: "compare the runtime with its peers: first their outputs, then their speed",
  scenarios: SCENARIOS,
  compared: "outputs",
  context: (quick, report, wants) => ({ quick, report, wants, page: () => openBenchPage(report) }),
});
