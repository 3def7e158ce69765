/**
 * Cross-entropy of the right choice among several continuations, scored by their log-probs. The part
 * `contrast`: which mechanism to use, what to do in a situation.
 *
 * Source: van den Oord et al. 2018, "Representation Learning with Contrastive Predictive Coding",
 * arXiv:1807.03748, equation 4, with sequence log-probs as scores (our reading of the part).
 */
import { option, definePart } from "../../composition/part-options.ts";
import type { LossPart } from "../../composition/part.ts";
import type { LossResult } from "../../loss.ts";
import {
  finiteAt,
  type LossMask,
  requireRows,
  type TokenRows,
  zeroRows,
} from "../../token-rows.ts";
import { lossPart } from "../loss-part.ts";
import { type Segment, segmentTokens, type SideMeasure } from "../preference/preference-pairs.ts";

/** A right continuation and its wrong alternatives. */
export type ContrastSet = {
  readonly right: readonly Segment[];
  readonly wrong: readonly (readonly Segment[])[];
};

/** How continuations are scored. */
export type ContrastOptions = {
  /** Divides the scores; a larger value makes the choice softer. */
  readonly temperature: number;
  /** Scores are sums or means over tokens; means do not favor short continuations. */
  readonly measure: SideMeasure;
  /** Sets in the whole minibatch. Default: the number of sets given. */
  readonly setCount?: number | undefined;
};

/** Mean over sets of −log (exp(s_right/τ) / Σ exp(s/τ)). Metric `contrastAccuracy`. */
export function contrastiveLoss(
  batch: { readonly lossMask: LossMask; readonly policyLogProbs: TokenRows },
  sets: readonly ContrastSet[],
  { temperature, measure, setCount = sets.length }: ContrastOptions,
): LossResult {
  const { lossMask, policyLogProbs } = batch;
  requireRows(lossMask, { policyLogProbs });
  const logProb = zeroRows(lossMask);
  const share = setCount === 0 ? 0 : 1 / setCount;
  let loss = 0;
  let accuracy = 0;
  for (const { right, wrong } of sets) {
    const choices = [right, ...wrong].map((segments) => {
      const tokens = segmentTokens(lossMask, segments);
      const divisor = temperature * (measure === "sum" ? 1 : Math.max(1, tokens.length));
      const score =
        tokens.reduce((sum, [b, t]) => sum + finiteAt(policyLogProbs, "policyLogProbs", b, t), 0) /
        divisor;
      return { tokens, divisor, score };
    });
    const scores = choices.map(({ score }) => score);
    const largest = Math.max(...scores);
    const total = scores.reduce((sum, score) => sum + Math.exp(score - largest), 0);
    loss += share * (largest + Math.log(total) - (scores[0] as number));
    accuracy += scores[0] === largest ? share : 0;
    for (const [i, { tokens, divisor, score }] of choices.entries()) {
      const slope = share * (Math.exp(score - largest) / total - (i === 0 ? 1 : 0));
      for (const [b, t] of tokens) {
        (logProb[b] as Float64Array)[t] = (logProb[b]?.[t] ?? 0) + slope / divisor;
      }
    }
  }
  return { loss, derivatives: { logProb }, metrics: { contrastAccuracy: accuracy } };
}

/** `contrast`: makes the chosen side of a pair the likelier one, by mean token log-prob. */
export function contrast(temperature?: number): LossPart {
  return definePart({ contrastTemperature: option(temperature, 1) }, (given) =>
    lossPart("contrast", (minibatch) =>
      contrastiveLoss(
        minibatch,
        minibatch.pairs.map(([chosen, rejected]) => ({
          right: [{ row: chosen }],
          wrong: [[{ row: rejected }]],
        })),
        { temperature: given.contrastTemperature, measure: "mean" },
      ),
    ),
  );
}
