/** One optimizer step of masked cross-entropy; every update from a dataset uses it. */
import { supervisedLoss, toTokenDerivatives } from "@waggle/learning";
import type {
  OptimizerOptions,
  OptimizerResult,
  TrainEngine,
  TrainSequence,
} from "@waggle/protocol";

/** Sequences with their target tokens and weights. */
export type SupervisedBatch = {
  readonly sequences: readonly TrainSequence[];
  /** `[B][T]` tokens to train on. */
  readonly lossMask: readonly (readonly boolean[])[];
  /** `[B][T]` weight of each token; default 1. */
  readonly weights?: readonly (readonly number[])[];
};

/** The optimizer's result with the loss before the step. */
export type SupervisedResult = Pick<OptimizerResult, "gradientNorm" | "overflows"> & {
  /** Mean nats per target token before the step; `null` if not measured. */
  readonly loss: number | null;
};

/**
 * Takes one step.
 *
 * @param isMeasured - whether to compute the loss, which costs an extra forward pass. The
 * derivatives of cross-entropy do not depend on the log-probs, so the step is the same without it.
 */
export async function supervisedStep(
  engine: TrainEngine,
  { sequences, lossMask, weights }: SupervisedBatch,
  optimizer: OptimizerOptions,
  isMeasured: boolean,
): Promise<SupervisedResult> {
  const policyLogProbs = isMeasured
    ? (await engine.forward({ sequences })).logProb
    : lossMask.map((row) => new Float32Array(row.length));
  const { loss, derivatives } = supervisedLoss({
    lossMask,
    policyLogProbs,
    ...(weights === undefined ? {} : { weights }),
  });
  await engine.backward({ sequences }, toTokenDerivatives(derivatives));
  const { gradientNorm, overflows } = await engine.optimStep(optimizer);
  return {
    loss: isMeasured ? loss : null,
    gradientNorm,
    ...(overflows === undefined ? {} : { overflows }),
  };
}
