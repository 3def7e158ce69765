/**
 * Prediction of the environment's observations, a loss added to that of the sampled tokens.
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
 * Cross-entropy of the tokens that the environment wrote.
 *
 * @param batch - `observationMask` must not overlap the loss mask of the sampled tokens.
 * @throws WaggleError `INVALID_ARGUMENT` if a token is in both masks.
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
        `token [${b}][${t}] is marked as sampled and as observed; derive both masks from one record`,
      );
    }
  }
  return supervisedLoss({ lossMask: observationMask, policyLogProbs }, options);
}

/** `aux`: an additional cross-entropy of the turns that a rule selects. */
export function auxiliaryTurns(isWanted: TurnRule): LossPart {
  return lossPart("aux", (minibatch) =>
    supervisedLoss({ ...minibatch, lossMask: ofTurns(minibatch, isWanted) }),
  );
}

/** `aux`: cross-entropy of the observations after the first action. */
export function auxiliaryObservations(): LossPart {
  return lossPart("aux", (minibatch) => {
    const observationMask = minibatch.trajectories.map(({ trajectory }, row) => {
      const sample = trajectory.samples[minibatch.samples[row] ?? 0];
      const first = sample?.lossMask.indexOf(true) ?? -1;
      return (sample?.lossMask ?? []).map((sampled, t) => first >= 0 && t > first && !sampled);
    });
    const { lossMask, policyLogProbs } = minibatch;
    return observationLoss({ lossMask, observationMask, policyLogProbs });
  });
}

/** `aux`: the language-model loss of the whole text, added to the loss of the turns. */
export function auxiliaryText(): LossPart {
  return { ...languageModel(), part: "aux" };
}
