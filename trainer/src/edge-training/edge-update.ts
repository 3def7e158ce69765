/**
 * The update of a training loop over an edge. If a step fails, its groups are skipped and the trainer
 * continues.
 */
import type { LeasedBatch } from "./lease-check.ts";
import type { ComingStep } from "../check/waiting-step.ts";
import type { HeldCheckpoint } from "../checkpoint/held-checkpoint.ts";
import type { Update } from "../training/train.ts";
import { type StepFailure, stepFailure } from "../update/step-failure.ts";
import type { TrainingOptions, TrainingParts } from "./training-parts.ts";
import { seededRandom } from "@waggle/protocol";
import { learningStep, type LearningStepResult } from "../update/learning-step.ts";
import { driftFromStable } from "../update/stable-drift.ts";
import { isDrifted } from "../sink/deployment-watch.ts";

/** The result of one step over an edge. */
export type EdgeLearned = {
  /** The step's result, or why it failed. */
  readonly result: LearningStepResult | StepFailure;
  /**
   * KL from the stable version, in nats per token; `null` if the step has no tokens of that version.
   */
  readonly drift: number | null;
  /** When the step began, on the run's clock. */
  readonly startedAt: number;
};

type Parts = Pick<TrainingParts, "engine" | "recipe" | "leases" | "report" | "note" | "now">;

/**
 * Creates the update. It reloads the last checkpoint after a step that failed or exceeded the drift limit.
 * @throws the step's own error after too many failures in a row; see `stepFailure`.
 */
export function edgeUpdate(
  { engine, recipe, leases, report, note, now }: Parts,
  options: Pick<
    TrainingOptions,
    "microbatchTokens" | "shuffleAdvantages" | "visitorShare" | "watch"
  >,
  checkpoint: HeldCheckpoint,
  coming: () => ComingStep,
  signal: AbortSignal,
): Update<LeasedBatch, EdgeLearned> {
  /** Consecutive steps that ended in an unexpected error. */
  let failedSteps = 0;
  return async ({ waiting, visitors }) => {
    const startedAt = now();
    const { state } = checkpoint;
    note("learning", state.step);
    const random = seededRandom(state.seed, state.step);
    try {
      const result = await learningStep(engine, recipe, waiting, {
        ...coming(),
        microbatchTokens: options.microbatchTokens,
        shuffleAdvantages: options.shuffleAdvantages ? random : null,
        visitorShare: options.visitorShare,
        presentVisitors: visitors,
        betweenPasses: async () => {
          signal.throwIfAborted();
          await leases.renewDue();
        },
      });
      const { groups } = waiting;
      const { microbatchTokens } = options;
      const drift = await driftFromStable(engine, groups, state.stableVersion, microbatchTokens);
      failedSteps = 0;
      if (!isDrifted(drift, options.watch)) return { result, drift, startedAt };
      await engine.load(checkpoint.newest.engine);
      const limit = options.watch.drift;
      report.note("drift-limit", { step: state.step, drift: drift?.toFixed(3), limit });
      return { result: "drift-limit", drift, startedAt };
    } catch (error) {
      await engine.load(checkpoint.newest.engine);
      const failure = stepFailure(error, signal, failedSteps);
      if (failure !== "non-finite-gradient") failedSteps += 1;
      report.note(failure, { step: state.step, cause: String(error) });
      return { result: failure, drift: null, startedAt };
    }
  };
}
