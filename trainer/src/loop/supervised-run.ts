/**
 * Training from a dataset: batches by step and masked cross-entropy. The caller decides what to keep of a step.
 * Imitation, pretraining, the base policies of environments and world models are trained by it.
 */
import type { LearningRate } from "@waggle/learning";
import type { OptimizerOptions, TrainEngine } from "@waggle/protocol";
import {
  type SupervisedBatch,
  type SupervisedResult,
  supervisedStep,
} from "../update/supervised-step.ts";
import { train, unchecked } from "./train.ts";

export type SupervisedRun = {
  readonly engine: TrainEngine;
  /** The batch of a step, 0 to `steps` − 1; the same every time for a resumable run. */
  readonly batchAt: (step: number) => SupervisedBatch | Promise<SupervisedBatch>;
  readonly steps: number;
  /** Steps taken by an earlier process; default 0. */
  readonly from?: number;
  readonly learningRate: LearningRate;
  readonly optimizer: Omit<OptimizerOptions, "learningRate">;
  /** Whether a step's loss is measured, at the price of a forward pass; default always. */
  readonly isMeasured?: (step: number) => boolean;
  /** Told of each step: how many are done, what it came to, what was learned from. */
  readonly onStep: (
    stepsDone: number,
    result: SupervisedResult,
    batch: SupervisedBatch,
  ) => void | Promise<void>;
  /** Ends the run between two steps. */
  readonly signal: AbortSignal;
};

/** @returns steps done: fewer than `steps` where the signal ended it. */
export async function runSupervised({
  engine,
  batchAt,
  steps,
  from = 0,
  learningRate,
  optimizer,
  isMeasured = () => true,
  onStep,
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
        },
      },
    },
    { stop: () => (signal.aborted ? "aborted" : step >= steps ? "done" : null) },
  );
  return step;
}
