/**
 * Prediction of what the environment answers, as a loss beside that of the policy's own tokens.
 *
 * Sources: ECHO of prime-rl (a weight of 0.1); "Agent Learning via Early Experience", arXiv:2510.08558.
 */
import { WaggleError } from "@waggle/protocol";
import type { LossResult } from "../loss.ts";
import type { LossMask, TokenRows } from "../token-rows.ts";
import type { AggregationOption } from "./aggregation.ts";
import { supervisedLoss } from "./supervised-loss.ts";

/**
 * Cross-entropy of the tokens that the environment wrote: what the policy expects of its tools.
 *
 * @param batch - `observationMask` must not overlap with what the policy sampled.
 * @throws WaggleError `INVALID_ARGUMENT` for a token in both masks.
 */
export function observationLoss(
  batch: {
    readonly lossMask: LossMask;
    readonly observationMask: LossMask;
    readonly policyLogProbs: TokenRows;
  },
  options: AggregationOption = {},
): LossResult {
  const { lossMask, observationMask, policyLogProbs } = batch;
  for (const [b, row] of lossMask.entries()) {
    const t = row.findIndex((kept, i) => kept && observationMask[b]?.[i] === true);
    if (t >= 0) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `Token [${b}][${t}] is marked both as sampled and as observed. Derive both masks from one record.`,
      );
    }
  }
  return supervisedLoss({ lossMask: observationMask, policyLogProbs }, options);
}
