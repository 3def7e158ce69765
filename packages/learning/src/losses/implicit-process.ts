/**
 * Training an implicit process reward model: a policy whose log-ratio to a reference, summed over a
 * trajectory, explains which trajectory came out better. Its log-ratios of single steps are then their
 * rewards (`rewards/implicit-process.ts`). Not a loss of the acting policy; the two updates alternate.
 *
 * Sources: Yuan et al. 2024, "Free Process Rewards without Process Labels", arXiv:2412.01981, equations 3
 * and 5 (cross-entropy); trajectory preferences, "Online Process Reward Learning for Agentic Reinforcement
 * Learning" (OPRL), arXiv:2509.19199, equation 4.
 */
import { logistic, logLogistic } from "../logistic.ts";
import type { LossResult } from "../loss.ts";
import {
  finiteAt,
  type LossMask,
  requireRows,
  requireSequences,
  type TokenRows,
  zeroRows,
} from "../token-rows.ts";
import { dpo } from "./dpo.ts";
import type { PairCountOption, PreferenceBatch, PreferencePair } from "./preference-pairs.ts";

/**
 * Every pair of trajectories of one task whose outcomes differ by more than `margin`, the better chosen.
 *
 * @param prompts - `[B]` which task each row is a rollout of.
 * @param outcomes - `[B]` in units of the reward.
 */
export function outcomePairs(
  prompts: readonly (string | number)[],
  outcomes: readonly number[],
  margin: number = 1e-6,
): PreferencePair[] {
  return outcomes.flatMap((better, chosen) =>
    outcomes.flatMap((worse, rejected) =>
      prompts[chosen] === prompts[rejected] && better - worse > margin
        ? [{ chosen: [{ row: chosen }], rejected: [{ row: rejected }] }]
        : [],
    ),
  );
}

/** Preferences of trajectories: `dpo` on the reward model's own log-probs. */
export function implicitRewardPreference(
  batch: PreferenceBatch,
  options: PairCountOption & { readonly beta: number },
): LossResult {
  const { metrics, ...result } = dpo(batch, options);
  return { ...result, metrics: { processAccuracy: metrics["preferenceAccuracy"] ?? 0 } };
}

/**
 * Mean over sequences of −outcome·log σ(β·Σ log-ratio) − (1 − outcome)·log σ(−β·Σ log-ratio).
 *
 * @param batch - `outcomes` in [0, 1].
 * @param options - `sequenceCount`: sequences of the whole minibatch.
 */
export function implicitRewardCrossEntropy(
  batch: {
    readonly lossMask: LossMask;
    readonly policyLogProbs: TokenRows;
    readonly referenceLogProbs: TokenRows;
    readonly outcomes: ArrayLike<number>;
  },
  options: { readonly beta: number; readonly sequenceCount?: number | undefined },
): LossResult {
  const { lossMask, policyLogProbs, referenceLogProbs, outcomes } = batch;
  const { beta, sequenceCount = lossMask.length } = options;
  requireRows(lossMask, { policyLogProbs, referenceLogProbs });
  requireSequences(lossMask, { outcomes });
  const logProb = zeroRows(lossMask);
  const share = sequenceCount === 0 ? 0 : 1 / sequenceCount;
  let loss = 0;
  let right = 0;
  for (const [b, row] of lossMask.entries()) {
    const tokens = [...row.keys()].filter((t) => row[t]);
    const x =
      beta *
      tokens.reduce(
        (sum, t) =>
          sum +
          finiteAt(policyLogProbs, "policyLogProbs", b, t) -
          finiteAt(referenceLogProbs, "referenceLogProbs", b, t),
        0,
      );
    const outcome = outcomes[b] as number;
    loss -= share * (outcome * logLogistic(x) + (1 - outcome) * logLogistic(-x));
    right += x > 0 === outcome > 0.5 ? share : 0;
    for (const t of tokens) {
      (logProb[b] as Float64Array)[t] = share * beta * (logistic(x) - outcome);
    }
  }
  return { loss, derivatives: { logProb }, metrics: { processAccuracy: right } };
}
