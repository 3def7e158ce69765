/**
 * Learning from single answers that were liked or disliked, without pairs: suited to thumbs, also if one
 * kind is rare. The part `kto`.
 *
 * Source: Ethayarajh et al. 2024, "KTO: Model Alignment as Prospect Theoretic Optimization",
 * arXiv:2402.01306, equations 7 and 8; the reference point is that of section 4.1, see `mismatched-pairs.ts`. Differs from it:
 * the divergence is estimated once for the whole minibatch and passed in, so microbatches agree, and answers that weigh more in
 * the loss weigh more in it.
 */
import { WaggleError } from "@waggle/protocol";
import { option, definePart } from "../../composition/part-options.ts";
import type { LossPart, Minibatch } from "../../composition/part.ts";
import { logistic } from "../../logistic.ts";
import type { LossResult } from "../../loss.ts";
import { sumOf } from "../../statistics.ts";
import {
  finiteAt,
  type LossMask,
  requireRows,
  type TokenRows,
  zeroRows,
} from "../../token-rows.ts";
import { lossPart, present } from "../loss-part.ts";
import { mismatchedDivergence } from "./mismatched-pairs.ts";
import { rowWeight, type Segment, segmentTokens } from "./preference-pairs.ts";

type JudgedAnswer = {
  readonly segments: readonly Segment[];
  readonly isDesirable: boolean;
  /** Weight of the answer, detached; absent = 1. */
  readonly weight?: number | undefined;
};

/** A minibatch with judged answers, each of one or more segments. */
export type KtoBatch = {
  readonly lossMask: LossMask;
  readonly policyLogProbs: TokenRows;
  readonly referenceLogProbs: TokenRows;
  readonly answers: readonly JudgedAnswer[];
};

/** Options of `ktoLoss`. */
export type KtoOptions = {
  readonly beta: number;
  /** λ_D and λ_U: raise that of the rarer kind, for a ratio of λ·count in [1, 4/3]. Default 1. */
  readonly desirableWeight?: number | undefined;
  readonly undesirableWeight?: number | undefined;
  /** Divergence of policy and reference in nats per answer, ≥ 0, detached; 0 is unpaired APO-zero. */
  readonly divergence: number;
  /** Answers of the whole minibatch. Default: those of the batch. */
  readonly answerCount?: number | undefined;
};

/**
 * Mean over answers of weight·λ·(1 − σ(±β·(Δ − divergence))), Δ = Σ log π − log ref, + for desirable ones.
 *
 * @returns metrics over answers: `desirableLogRatio` and `undesirableLogRatio`, each a share of the mean.
 */
export function ktoLoss(batch: KtoBatch, options: KtoOptions): LossResult {
  const { lossMask, policyLogProbs, referenceLogProbs, answers } = batch;
  const { beta, desirableWeight = 1, undesirableWeight = 1, divergence } = options;
  requireRows(lossMask, { policyLogProbs, referenceLogProbs });
  const logProb = zeroRows(lossMask);
  const answerCount = options.answerCount ?? answers.length;
  const share = answerCount === 0 ? 0 : 1 / answerCount;
  const totals = { loss: 0, desirable: 0, undesirable: 0 };
  for (const { segments, isDesirable, weight: own = 1 } of answers) {
    const tokens = segmentTokens(lossMask, segments);
    const ratio = tokens.reduce(
      (sum, [b, t]) =>
        sum +
        finiteAt(policyLogProbs, "policyLogProbs", b, t) -
        finiteAt(referenceLogProbs, "referenceLogProbs", b, t),
      0,
    );
    const side = isDesirable ? 1 : -1;
    const weight = own * (isDesirable ? desirableWeight : undesirableWeight);
    const satisfied = logistic(side * beta * (ratio - divergence));
    totals.loss += share * weight * (1 - satisfied);
    totals[isDesirable ? "desirable" : "undesirable"] += share * ratio;
    const slope = -share * weight * side * beta * satisfied * (1 - satisfied);
    for (const [b, t] of tokens) {
      (logProb[b] as Float64Array)[t] = (logProb[b]?.[t] ?? 0) + slope;
    }
  }
  return {
    loss: totals.loss,
    derivatives: { logProb },
    metrics: { desirableLogRatio: totals.desirable, undesirableLogRatio: totals.undesirable },
  };
}

/**
 * `kto`: the reference point is the divergence of policy and reference, estimated on mismatched pairs.
 * `apo-zero`: it is 0, the unpaired form of anchored preference optimization.
 */
type KtoForm = "kto" | "apo-zero";

const KTO_FORMS: readonly KtoForm[] = ["kto", "apo-zero"];

/** `equal`: λ_D = λ_U = 1. `balanced`: the rarer kind of a minibatch weighs more, so that λ_D·n_D = λ_U·n_U. */
type KtoWeights = "equal" | "balanced";

const KTO_WEIGHTS: readonly KtoWeights[] = ["equal", "balanced"];

/** `kto`: successes are liked, other trajectories disliked; no pairs. */
export function kto(beta?: number, form?: KtoForm, weights?: KtoWeights): LossPart<"ref"> {
  return definePart(
    {
      beta: option(beta, 0.1),
      ktoForm: option(form, "kto", KTO_FORMS),
      ktoWeights: option(weights, "equal", KTO_WEIGHTS),
    },
    (given) => {
      const loss = lossPart("kto", (minibatch) => judgedLoss(minibatch, given), {
        needs: ["ref"],
      });
      return given.ktoForm === "kto" ? { ...loss, mismatches: true } : loss;
    },
  );
}

function judgedLoss(
  minibatch: Minibatch,
  given: { readonly beta: number; readonly ktoForm: KtoForm; readonly ktoWeights: KtoWeights },
): LossResult {
  const { beta, ktoForm, ktoWeights } = given;
  const referenceLogProbs = present(minibatch.referenceLogProbs, "kto", "a reference policy");
  const answers = minibatch.trajectories.map(({ reward }, row) => ({
    segments: [{ row, start: 0, end: minibatch.lossMask[row]?.length ?? 0 }],
    isDesirable: reward.total >= 0.5,
    weight: rowWeight(minibatch, row),
  }));
  const weights = answers.map(({ weight }) => weight);
  const divergence = ktoForm === "kto" ? divergenceOf(minibatch, weights) : 0;
  const result = ktoLoss(
    { ...minibatch, referenceLogProbs, answers },
    { beta, divergence, ...(ktoWeights === "balanced" && balancedWeights(answers)) },
  );
  return { ...result, metrics: { ...result.metrics, ktoDivergence: divergence } };
}

/** λ_D and λ_U, at least 1, so that both kinds have the same weight. If one kind is missing, both are 1. */
function balancedWeights(
  answers: readonly Pick<JudgedAnswer, "isDesirable" | "weight">[],
): Required<Pick<KtoOptions, "desirableWeight" | "undesirableWeight">> {
  const count = (kind: boolean): number =>
    sumOf(answers.map(({ isDesirable, weight = 1 }) => (isDesirable === kind ? weight : 0)));
  const [desirable, undesirable] = [count(true), count(false)];
  if (desirable === 0 || undesirable === 0) return { desirableWeight: 1, undesirableWeight: 1 };
  return {
    desirableWeight: Math.max(1, undesirable / desirable),
    undesirableWeight: Math.max(1, desirable / undesirable),
  };
}

function divergenceOf({ mismatched }: Minibatch, weights: readonly number[]): number {
  if (mismatched !== undefined) return mismatchedDivergence(mismatched, weights);
  throw new WaggleError(
    "CAPABILITY_MISSING",
    "loss kto needs log-probs of mismatched pairs; choose the form apo-zero if no engine can score them",
  );
}
