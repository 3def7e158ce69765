/**
 * Weighted cross-entropy of the taken tokens under a mask: pretraining, imitation, rejection sampling. Not a
 * policy gradient, although −w·log π with w = −dL/dlog π has the gradient of any loss L.
 */
import { definePart } from "../../composition/part-options.ts";
import type { LossPart } from "../../composition/part.ts";
import type { LossResult } from "../../loss.ts";
import { SHOWN } from "../../rollouts/proposals.ts";
import {
  finiteAt,
  forEachLossToken,
  type LossMask,
  requireRows,
  type TokenRows,
  zeroRows,
} from "../../token-rows.ts";
import { type AggregationOption, resolvedShares } from "../aggregation.ts";
import { lossPart } from "../loss-part.ts";
import { onTurns } from "../span-mask.ts";
import { turnOption, turnRule, type TurnRule } from "../turn-rules.ts";

/** All `[B][T]`. */
export type SupervisedBatch = {
  readonly lossMask: LossMask;
  readonly policyLogProbs: TokenRows;
  /** Weight of each token; absent = 1. Weights do not enter the denominator. */
  readonly weights?: TokenRows | undefined;
};

/** Σ share · w · −log π, in nats; metric `crossEntropy`: the unweighted token mean. */
export function supervisedLoss(
  batch: SupervisedBatch,
  options: AggregationOption = {},
): LossResult {
  const { lossMask, policyLogProbs, weights } = batch;
  requireRows(lossMask, { policyLogProbs, weights });
  const { shares, perToken } = resolvedShares(lossMask, options);
  const logProb = zeroRows(lossMask);
  let loss = 0;
  let unweighted = 0;
  forEachLossToken(lossMask, (b, t) => {
    const w = weights === undefined ? 1 : finiteAt(weights, "weights", b, t);
    const value = finiteAt(policyLogProbs, "policyLogProbs", b, t);
    const scale = w * finiteAt(shares, "shares", b, t);
    loss -= scale * value;
    unweighted -= value * perToken;
    (logProb[b] as Float64Array)[t] = -scale;
  });
  return { loss, derivatives: { logProb }, metrics: { crossEntropy: unweighted } };
}

/** `ce` with each token weighted by its advantage. */
export function advantageWeightedCrossEntropy(): LossPart {
  return lossPart("ce", (minibatch) => {
    const weights = minibatch.weights.map((row, b) =>
      Float64Array.from(row, (weight, t) => weight * (minibatch.advantages[b]?.[t] ?? 0)),
    );
    return supervisedLoss({ ...minibatch, weights }, minibatch);
  });
}

/** `ce` of the demonstrations only. */
export function shownCrossEntropy(): LossPart {
  return lossPart("ce", (minibatch) =>
    supervisedLoss({
      ...minibatch,
      weights: undefined,
      lossMask: minibatch.lossMask.map((mask, row) =>
        minibatch.trajectories[row]?.trajectory.role === SHOWN ? mask : mask.map(() => false),
      ),
    }),
  );
}

/** `ce-mask`: cross-entropy of the tokens that the filters left in the loss, sampled or given. */
export function speakersCrossEntropy(): LossPart {
  return { ...crossEntropy(), part: "ce-mask" };
}

const PLAIN: LossPart = lossPart("ce", (minibatch) => supervisedLoss(minibatch, minibatch));

/** `ce`: cross-entropy of the loss tokens, by default of all turns. */
export function crossEntropy(): LossPart {
  return definePart({ lossTurns: turnOption(undefined, "all") }, ({ lossTurns }) =>
    // Tokens that filters added to the loss outside the turns stay in it.
    lossTurns === "all"
      ? { ...PLAIN }
      : { ...onTurns("ce", PLAIN, turnRule(lossTurns)), around: [] },
  );
}

/** `ce-mask`: cross-entropy of the turns that a rule selects. Default: turns that parsed and did not fail. */
export function maskedCrossEntropy(isChosen?: TurnRule): LossPart {
  return definePart({ lossTurns: turnOption(isChosen, "right") }, ({ lossTurns }) => ({
    ...onTurns("ce-mask", PLAIN, turnRule(lossTurns, isChosen)),
    around: [],
  }));
}
