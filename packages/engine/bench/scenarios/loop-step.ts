/**
 * Tokens/s of the trainer's learning step (forward, loss, backward, AdamW; LoRA on the nano model) on
 * the native engine and on TensorFlow.js, the loop's former engine. Both get the same groups, in one
 * trainer process.
 */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { LoopStep, LoopStepOptions } from "../../../../trainer/bench/loop-step.ts";
import { benchRow } from "../../../runtime/bench/row.ts";
import type { EngineScenario } from "../scenario.ts";

const PROGRAM = join(import.meta.dirname, "../../../../trainer/bench/loop-step.ts");
/** Relative norm of the difference, for every matrix's gradient. */
const GRADIENT_TOLERANCE = 1e-4;

export const loopStep: EngineScenario = {
  name: "loop-step",
  description: "tokens/s of the loop's learning step with the nano model, groups of 8 trajectories",
  run: async function* ({ quick, threads, report }) {
    const options: LoopStepOptions = {
      devices: ["cpu", "reference-wasm"],
      threads,
      groups: quick ? 2 : 8,
      rounds: quick ? 1 : 3,
    };
    const { stdout } = await promisify(execFile)(process.execPath, [
      "--conditions=source",
      PROGRAM,
      JSON.stringify(options),
    ]);
    const { tokens, trajectories, gradientError, engines } = JSON.parse(stdout) as LoopStep;
    const [own, other] = engines as [LoopStep["engines"][number], LoopStep["engines"][number]];
    report(
      `   ${trajectories} trajectories, ${tokens} tokens a step; gradients differ by ${gradientError.toExponential(1)}`,
    );
    yield benchRow({
      name: "loop step cpu",
      ours: (1000 * tokens) / median(own.milliseconds),
      peer: (1000 * tokens) / median(other.milliseconds),
      peerName: other.device,
      unit: "tokens/s",
      agree: gradientError <= GRADIENT_TOLERANCE,
    });
  },
};

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
