/**
 * Loss parts that push sampled tokens by their ratio to what sampled them. Those whose ratio is to the
 * policy at the step's start are in `policy-losses.ts`.
 */
import type { LossPart } from "../composition/part.ts";
import { importanceSampling as importanceSamplingLoss } from "../losses/importance-sampling.ts";
import { type ProbabilityGap, probabilityGapSurrogate } from "../losses/probability-gap.ts";
import { selfImitation as selfImitationLoss } from "../losses/self-imitation.ts";
import { type VariationalKernels, variationalWeightLoss } from "../losses/variational-weight.ts";
import { lossPart } from "./loss-part.ts";

/** `is`: each token by its ratio to what sampled it, without bounds. */
export function importanceSampling(): LossPart {
  return lossPart("is", (minibatch) => importanceSamplingLoss(minibatch, minibatch));
}

const THRESHOLDS = { away: 0.2, either: 0.1 } as const;

/**
 * `prob-gap`: tokens whose probability moved too far are left out; `away` is DPPO's rule, `either` that of
 * prime-rl's IPO mask, each with its published threshold.
 */
export function probabilityGap(
  rule: ProbabilityGap["rule"] = "away",
  threshold: number = THRESHOLDS[rule],
  penalty = 1e-3,
): LossPart {
  return lossPart("prob-gap", (minibatch) =>
    probabilityGapSurrogate(minibatch, { rule, threshold, penalty }, minibatch),
  );
}

/** `vespo`: −A·log π under a smooth weight of the sequence's whole ratio. */
export function variationalWeight(kernels?: VariationalKernels): LossPart {
  return lossPart("vespo", (minibatch) => variationalWeightLoss(minibatch, kernels, minibatch));
}

/** `self-imitation`: the clipped surrogate on tokens that did better than expected, and on no others. */
export function selfImitation(lower = 0.2, upper = 0.2): LossPart {
  return lossPart("self-imitation", (minibatch) =>
    selfImitationLoss(minibatch, { lower, upper }, minibatch),
  );
}
