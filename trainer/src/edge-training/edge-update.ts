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
import { type Drift, driftAfter } from "../update/drift.ts";
import { driftBeyond, type DriftExcess } from "../sink/deployment-watch.ts";

/** The result of one step over an edge. */
export type EdgeLearned = {
  /** The step's result, or why it failed. */
  readonly result: LearningStepResult | StepFailure;
  readonly drift: Drift;
  /** The drift limit that the step exceeded; `null` if it exceeded none. */
  readonly excess: DriftExcess | null;
  /** When the step began, on the run's clock. */
  readonly startedAt: number;
};

type Parts = Pick<
  TrainingParts,
  "engine" | "recipe" | "base" | "hinted" | "leases" | "report" | "note" | "now"
>;

const UNMEASURED: Drift = { stable: null, base: null };

/**
 * Creates the update. It reloads the last checkpoint after a step that failed, exceeded a drift limit or had too few
 * senders.
 * @throws the step's own error after too many failures in a row; see `stepFailure`.
 */
export function edgeUpdate(
  { engine, recipe, base, hinted, leases, report, note, now }: Parts,
  options: Pick<TrainingOptions, "microbatchTokens" | "shuffleAdvantages" | "shares" | "watch">,
  checkpoint: HeldCheckpoint,
  coming: () => ComingStep,
  signal: AbortSignal,
): Update<LeasedBatch, EdgeLearned> {
  /** Consecutive steps that ended in an unexpected error. */
  let failedSteps = 0;
  return async ({ waiting, present }) => {
    const startedAt = now();
    const { state } = checkpoint;
    note("learning", state.step);
    const random = seededRandom(state.seed, state.step);
    try {
      const result = await learningStep(engine, recipe, waiting, {
        ...coming(),
        microbatchTokens: options.microbatchTokens,
        shuffleAdvantages: options.shuffleAdvantages ? random : null,
        shares: options.shares,
        earlier: state.influence,
        present,
        reference: base,
        ports: { hinted },
        betweenPasses: async () => {
          signal.throwIfAborted();
          await leases.renewDue();
        },
      });
      if (result.hasFewSenders === true) {
        await engine.load(checkpoint.newest.engine);
        failedSteps = 0;
        report.note("few-senders", { step: state.step });
        return { result: "few-senders", drift: UNMEASURED, excess: null, startedAt };
      }
      const { groups } = waiting;
      const { microbatchTokens } = options;
      const drift = await driftAfter(
        engine,
        groups,
        state.stableVersion,
        microbatchTokens,
        options.watch.baseDrift === undefined ? undefined : base,
      );
      failedSteps = 0;
      const excess = driftBeyond(drift, options.watch);
      if (excess === null) return { result, drift, excess, startedAt };
      await engine.load(checkpoint.newest.engine);
      const { from, nats, limit } = excess;
      report.note("drift-limit", { step: state.step, from, drift: nats.toFixed(3), limit });
      return { result: "drift-limit", drift, excess, startedAt };
    } catch (error) {
      await engine.load(checkpoint.newest.engine);
      const failure = stepFailure(error, signal, failedSteps);
      if (failure !== "non-finite-gradient") failedSteps += 1;
      report.note(failure, { step: state.step, cause: String(error) });
      return { result: failure, drift: UNMEASURED, excess: null, startedAt };
    }
  };
}
