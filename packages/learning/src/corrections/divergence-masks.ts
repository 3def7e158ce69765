/**
 * Masks that drop sequences from which the policy has drifted too far per token: by an estimate of the KL
 * divergence between sampler and trainer, or, for negative advantages, by how much less likely the current
 * policy makes them.
 *
 * Sources: k2 and k3 sequence masks as in verl's rollout correction (0.001 to 0.01); off-policy sequence
 * masking (OPSM), DeepSeek-AI 2025, "DeepSeek-V3.2", arXiv:2512.02556, section 3.1.
 */
import { option, definePart } from "../composition/part-options.ts";
import type { LossPart } from "../composition/part.ts";
import type { StateName } from "../composition/state.ts";
import { klEstimate } from "../kl/kl-estimators.ts";
import { lossPart, withTokenWeights } from "../losses/loss-part.ts";
import { ofSequences } from "../losses/policy/geometric-mean.ts";
import { sequenceLogRatios } from "../losses/policy/sequence-log-ratios.ts";
import {
  finiteAt,
  type LossMask,
  requireRows,
  requireSequences,
  type TokenRows,
} from "../token-rows.ts";
import { corrected } from "./corrected-loss.ts";
import { type Correction, type CorrectionBatch, keptSequences } from "./correction.ts";

/**
 * 1 for the tokens of sequences whose mean estimate of KL(behavior ‖ proximal) is at most `limit`.
 *
 * @param limit - nats per token.
 */
export function maskDivergentTokens(
  { lossMask, proximalLogProbs, behaviorLogProbs }: CorrectionBatch,
  estimator: "k2" | "k3",
  limit: number,
): Correction {
  requireRows(lossMask, { proximalLogProbs, behaviorLogProbs });
  const isKept = lossMask.map((row, b) => {
    const tokens = [...row.keys()].filter((t) => row[t]);
    const sum = tokens.reduce(
      (total, t) =>
        total +
        klEstimate(
          estimator,
          finiteAt(behaviorLogProbs, "behaviorLogProbs", b, t) -
            finiteAt(proximalLogProbs, "proximalLogProbs", b, t),
        ),
      0,
    );
    return tokens.length === 0 || sum / tokens.length <= limit;
  });
  return keptSequences(lossMask, isKept, "divergenceMaskKept");
}

/**
 * OPSM: 1 for the tokens of sequences with A ≥ 0 or mean(log behavior − log policy) ≤ limit.
 *
 * @param batch - log-probs of the current policy, detached.
 * @param limit - nats per token.
 */
export function offPolicySequenceMask(
  batch: {
    readonly lossMask: LossMask;
    /** `[B]`. */
    readonly sequenceAdvantages: ArrayLike<number>;
    readonly policyLogProbs: TokenRows;
    readonly behaviorLogProbs: TokenRows;
  },
  limit: number,
): Correction {
  const { lossMask, sequenceAdvantages, policyLogProbs, behaviorLogProbs } = batch;
  requireRows(lossMask, { policyLogProbs, behaviorLogProbs });
  requireSequences(lossMask, { sequenceAdvantages });
  const isKept = sequenceLogRatios(lossMask, behaviorLogProbs, policyLogProbs).map(
    ({ meanLogRatio }, b) => (sequenceAdvantages[b] as number) >= 0 || meanLogRatio <= limit,
  );
  return keptSequences(lossMask, isKept, "offPolicyMaskKept");
}

/** `kl-mask`: `inner` without sequences whose KL estimate exceeds `limit` nats per token. */
export function divergenceMask<N extends StateName>(
  inner: LossPart<N>,
  limit?: number,
  estimator?: "k2" | "k3",
): LossPart<N> {
  return definePart(
    {
      divergenceMaskLimit: option(limit, 0.01),
      estimator: option<"k2" | "k3">(estimator, "k3", ["k2", "k3"]),
    },
    ({ divergenceMaskLimit: limit, estimator }, [inner]) =>
      corrected("kl-mask", inner, (minibatch) => maskDivergentTokens(minibatch, estimator, limit)),
    [inner],
  );
}

/**
 * `opsm`: `inner` without sequences of negative advantage that became less likely by more than `limit` nats
 * per token under the current policy.
 */
export function offPolicyMask<N extends StateName>(inner: LossPart<N>, limit: number): LossPart<N> {
  return lossPart(
    "opsm",
    (minibatch, context) => {
      const sequenceAdvantages = ofSequences(minibatch, minibatch.advantages, "opsm", "advantage");
      const { weights } = offPolicySequenceMask({ ...minibatch, sequenceAdvantages }, limit);
      return inner.compute(withTokenWeights(minibatch, weights), context);
    },
    { ...inner, corrects: true, around: [inner] },
  );
}
