/**
 * Imitation of the chosen answer plus a term that raises its odds over those of the rejected one: one stage,
 * no reference policy. The part `orpo`.
 *
 * Source: Hong et al. 2024, "ORPO: Monolithic Preference Optimization without Reference Model",
 * arXiv:2403.07691, equations 6 and 7.
 */
import { option, definePart } from "../../composition/part-options.ts";
import type { PairLoss } from "../../composition/part.ts";
import { logistic, logLogistic } from "../../logistic.ts";
import type { LossResult } from "../../loss.ts";
import { pairLoss } from "../loss-part.ts";
import {
  type PairCountOption,
  type PreferenceBatch,
  preferenceLoss,
  rowPairs,
} from "./preference-pairs.ts";

/** Distance of mean log-probs from 0, where the odds have a pole. */
const MARGIN = 1e-6;

/**
 * Mean over pairs of −log π(chosen) − weight·log σ(log odds(chosen) − log odds(rejected)), log-probs as means
 * over tokens, odds = π / (1 − π).
 *
 * @param weight - weight of the odds-ratio term; 0.1 is the published value.
 */
export function oddsRatioPreference(
  batch: Omit<PreferenceBatch, "referenceLogProbs">,
  weight: number,
  options: PairCountOption = {},
): LossResult {
  const { metrics, ...result } = preferenceLoss(
    // Without a reference, log-ratios are the log-probs themselves.
    {
      ...batch,
      referenceLogProbs: batch.policyLogProbs.map((row) => new Float64Array(row.length)),
    },
    "mean",
    options,
    (chosen, rejected) => {
      const x = logOdds(chosen.policy) - logOdds(rejected.policy);
      const pull = weight * logistic(-x);
      return {
        value: -chosen.policy - weight * logLogistic(x),
        chosenSlope: -1 - pull * logOddsSlope(chosen.policy),
        rejectedSlope: pull * logOddsSlope(rejected.policy),
      };
    },
  );
  return {
    ...result,
    metrics: {
      preferenceAccuracy: metrics["preferenceAccuracy"] ?? 0,
      chosenLogProb: metrics["chosenLogRatio"] ?? 0,
      rejectedLogProb: metrics["rejectedLogRatio"] ?? 0,
    },
  };
}

function logOdds(logProb: number): number {
  const bounded = Math.min(-MARGIN, logProb);
  return bounded - Math.log(-Math.expm1(bounded));
}

function logOddsSlope(logProb: number): number {
  return logProb > -MARGIN ? 0 : -1 / Math.expm1(logProb);
}

/** `orpo`: needs no reference. */
export function orpo(weight?: number): PairLoss {
  return definePart({ orpoWeight: option(weight, 0.1) }, ({ orpoWeight: weight }) =>
    pairLoss("orpo", (minibatch) =>
      oddsRatioPreference({ ...minibatch, pairs: rowPairs(minibatch.pairs) }, weight),
    ),
  );
}
