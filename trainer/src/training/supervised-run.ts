/**
 * Training from a dataset: one batch per step and masked cross-entropy. The caller stores the result.
 * Used by imitation, pretraining, the base policies of environments and world models.
 */
import type { LearningRate } from "@waggle/learning";
import type { OptimizerOptions, TrainEngine } from "@waggle/protocol";
import { type SupervisedBatch, type SupervisedResult, supervisedStep } from "./supervised-step.ts";
import { train, unchecked } from "./train.ts";

/** The engine, batches and callbacks of a supervised run. */
export type SupervisedRun = {
  readonly engine: TrainEngine;
  /**
   * The batch of a step, 0 to `steps` − 1. A resumable run must return the same batch every time.
   */
  readonly batchAt: (step: number) => SupervisedBatch | Promise<SupervisedBatch>;
  readonly steps: number;
  /** Steps taken by earlier processes; default 0. */
  readonly from?: number;
  readonly learningRate: LearningRate;
  readonly optimizer: Omit<OptimizerOptions, "learningRate">;
  /** Whether to measure a step's loss, which costs a forward pass; default always. */
  readonly isMeasured?: (step: number) => boolean;
  /** Called after each step with the number of completed steps, the result and the batch. */
  readonly onStep: (
    stepsDone: number,
    result: SupervisedResult,
    batch: SupervisedBatch,
  ) => void | Promise<void>;
  /** Saves the run, so that another process can resume it; default: not saved. */
  readonly keeper?: SupervisedKeeper | undefined;
  /** Ends the run between two steps. */
  readonly signal: AbortSignal;
};

/** Saves a supervised run between two steps. */
type SupervisedKeeper = {
  /** Steps between two saves. A run that is stopped is saved as well. */
  readonly every: number;
  readonly save: (stepsDone: number) => Promise<void>;
};

/**
 * Trains until the last step or an abort.
 * @returns the number of completed steps.
 */
export async function runSupervised({
  engine,
  batchAt,
  steps,
  from = 0,
  learningRate,
  optimizer,
  isMeasured = () => true,
  onStep,
  keeper,
  signal,
}: SupervisedRun): Promise<number> {
  let step = from;
  await train(
    {
      source: { next: async () => batchAt(step) },
      check: unchecked<SupervisedBatch>(),
      update: (batch) => {
        const options = { ...optimizer, learningRate: learningRate(step) };
        return supervisedStep(engine, batch, options, isMeasured(step));
      },
      sink: {
        keep: async (result, batch) => {
          step += 1;
          await onStep(step, result, batch);
          const isDue = keeper !== undefined && (step % keeper.every === 0 || signal.aborted);
          if (isDue && step < steps) await keeper.save(step);
        },
      },
    },
    { stop: () => (signal.aborted ? "aborted" : step >= steps ? "done" : null) },
  );
  return step;
}
