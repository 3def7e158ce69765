/**
 * Prediction of what the environment answers, as a loss beside that of the policy's own tokens.
 *
 * Sources: ECHO of prime-rl (a weight of 0.1); "Agent Learning via Early Experience", arXiv:2510.08558.
 */
import { WaggleError } from "@waggle/protocol";
import type { LossPart } from "../../composition/part.ts";
import type { LossResult } from "../../loss.ts";
import type { LossMask, TokenRows } from "../../token-rows.ts";
import type { AggregationOption } from "../aggregation.ts";
import { lossPart } from "../loss-part.ts";
import { ofTurns, type TurnRule } from "../turn-rules.ts";
import { languageModel } from "./language-model.ts";
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

/** `aux`: a second cross-entropy beside the first, of some turns by themselves. */
export function auxiliaryTurns(isWanted: TurnRule): LossPart {
  return lossPart("aux", (minibatch) =>
    supervisedLoss({ ...minibatch, lossMask: ofTurns(minibatch, isWanted) }),
  );
}

/** `aux`: what the environment answers, predicted: tokens after the first action that the policy did not say. */
export function auxiliaryObservations(): LossPart {
  return lossPart("aux", (minibatch) => {
    const observationMask = minibatch.trajectories.map(({ trajectory }, row) => {
      const sample = trajectory.samples[minibatch.samples[row] ?? 0];
      const first = sample?.lossMask.indexOf(true) ?? -1;
      return (sample?.lossMask ?? []).map((said, t) => first >= 0 && t > first && !said);
    });
    const { lossMask, policyLogProbs } = minibatch;
    return observationLoss({ lossMask, observationMask, policyLogProbs });
  });
}

/** `aux`: the whole text as a language model, beside the loss of the turns. */
export function auxiliaryText(): LossPart {
  return { ...languageModel(), part: "aux" };
}
