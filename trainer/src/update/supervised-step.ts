/** One optimizer step of masked cross-entropy: what every update from a dataset is. */
import { supervisedLoss, toTokenDerivatives } from "@waggle/learning";
import type {
  OptimizerOptions,
  OptimizerResult,
  TrainEngine,
  TrainSequence,
} from "@waggle/protocol";

export type SupervisedBatch = {
  readonly sequences: readonly TrainSequence[];
  /** `[B][T]` tokens that are learned. */
  readonly lossMask: readonly (readonly boolean[])[];
  /** `[B][T]` weight of each token; default 1. */
  readonly weights?: readonly (readonly number[])[];
};

export type SupervisedResult = Pick<OptimizerResult, "gradientNorm" | "overflows"> & {
  /** Mean nats a target token before the step; `null` where it was not measured. */
  readonly loss: number | null;
};

/**
 * @param isMeasured - whether the loss is computed: that takes a forward pass more. The derivatives of
 *   cross-entropy do not depend on the log-probs, so the step is the same without it.
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
