/**
 * `npm run bench:engine`: measures the training engine against its peers. Progress goes to stderr;
 * with `--json` the last line of stdout is one JSON object `{rows}`.
 */
import { runBench } from "../../runtime/bench/bench-command.ts";
import type { EngineScenario } from "./scenario.ts";
import { gpu } from "./scenarios/gpu.ts";
import { halfPrecision } from "./scenarios/half-precision.ts";
import { largeStep } from "./scenarios/large-step.ts";
import { loopStep } from "./scenarios/loop-step.ts";
import { packedGroups } from "./scenarios/packed-groups.ts";
import { tokenCost } from "./scenarios/token-cost.ts";
import { versusPeers } from "./scenarios/versus-peers.ts";
import { vocabularyMemory } from "./scenarios/vocabulary-memory.ts";

const SCENARIOS: readonly EngineScenario[] = [
  versusPeers("S"),
  versusPeers("M"),
  tokenCost,
  vocabularyMemory,
  largeStep,
  loopStep,
  packedGroups,
  halfPrecision,
  gpu,
];

await runBench({
  command: "npm run bench:engine --",
  description:
    "compare the training engine with its peers: first their gradients, then their speed",
  scenarios: SCENARIOS,
  compared: "gradients",
  context: (quick, report) => ({ quick, threads: 2, report }),
});
