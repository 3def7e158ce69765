/** Loss parts that push sampled tokens by their advantages. */
import { dial, fixed, made } from "../composition/making.ts";
import type { LossPart } from "../composition/part.ts";
import type { StateName } from "../composition/state.ts";
import { covarianceMask, topCovarianceTokens } from "../corrections/covariance-mask.ts";
import {
  truncatedImportanceWeights,
  truncatedSequenceWeights,
} from "../corrections/importance-weights.ts";
import { cispo as cispoLoss } from "../losses/cispo.ts";
import { clippedSurrogate } from "../losses/clipped-surrogate.ts";
import { covariancePenalty as covariancePenaltyLoss } from "../losses/covariance-penalty.ts";
import { dualClippedSurrogate } from "../losses/dual-clip.ts";
import { entropyBonus as entropyBonusLoss } from "../losses/entropy-bonus.ts";
import { entropyPreservingClip } from "../losses/entropy-preserving-clip.ts";
import { reinforce as reinforceLoss } from "../losses/reinforce.ts";
import { sequenceRatioSurrogate } from "../losses/sequence-ratio.ts";
import { softGatedSurrogate } from "../losses/soft-gate.ts";
import { type LabelledSpan, spanMask as maskSpans } from "../losses/span-mask.ts";
import { groupLogPartitions, trajectoryBalance } from "../losses/trajectory-balance.ts";
import { twoSidedSurrogate } from "../losses/two-sided-clip.ts";
import { lossPart, present, weighed } from "./loss-part.ts";
import { turnDial, type TurnRule, turnRule } from "./turn-rules.ts";

/** `pg-clip`: the surrogate with the ratio clipped at 1 ± epsilon, by default 0.2. */
export function pgClip(epsilon?: number): LossPart {
  return made({ epsilon: dial(epsilon, 0.2) }, (given) => {
    const bounds = { lower: given.epsilon, upper: given.epsilon };
    return lossPart("pg-clip", (minibatch) => clippedSurrogate(minibatch, bounds, minibatch));
  });
}

/** `clip-high`: the upper bound is the wider one; by default 1 − 0.2 and 1 + 0.28. */
export function clipHigh(lower?: number, upper?: number): LossPart {
  return made({ lower: dial(lower, 0.2), upper: dial(upper, 0.28) }, (bounds) =>
    lossPart("clip-high", (minibatch) => clippedSurrogate(minibatch, bounds, minibatch)),
  );
}

/** `dual-clip`: what a bad action may cost is capped at `ceiling` times its advantage. */
export function dualClip(epsilon = 0.2, ceiling = 3): LossPart {
  const bounds = { lower: epsilon, upper: epsilon };
  return lossPart("dual-clip", (minibatch) =>
    dualClippedSurrogate(minibatch, bounds, ceiling, minibatch),
  );
}

/** `two-sided`: ratios are capped at `cap` also where the clip would let them go. */
export function twoSidedClip(epsilon = 0.2, cap = 4): LossPart {
  const bounds = { lower: epsilon, upper: epsilon };
  return lossPart("two-sided", (minibatch) => twoSidedSurrogate(minibatch, bounds, cap, minibatch));
}

/** `seq-ratio`: one ratio a sequence, the mean of its tokens' log-ratios. */
export function sequenceRatio(lower = 3e-4, upper = 4e-4): LossPart {
  return lossPart("seq-ratio", (minibatch) =>
    sequenceRatioSurrogate(minibatch, { lower, upper }, minibatch),
  );
}

/** `cispo`: the clipped ratio weighs log π and is itself a constant. */
export function cispo(lowest = 0, highest = 1.28): LossPart {
  return lossPart("cispo", (minibatch) => cispoLoss(minibatch, { lowest, highest }, minibatch));
}

/** `soft-gate`: a sigmoid of the ratio in place of a clip. */
export function softGate(positive = 1, negative = 1.05): LossPart {
  return lossPart("soft-gate", (minibatch) =>
    softGatedSurrogate(minibatch, { positive, negative }, minibatch),
  );
}

/** `sg-clip`: a clipped token that the policy was unsure of keeps a gradient. */
export function stopGradientClip(entropyThreshold: number, lower = 0.2, upper = 0.28): LossPart {
  return lossPart("sg-clip", (minibatch) => {
    const entropies = present(minibatch.entropies, "sg-clip", "entropies of the policy");
    const preserved = { entropyThreshold, sides: "upper" } as const;
    return entropyPreservingClip(
      { ...minibatch, entropies },
      { lower, upper },
      preserved,
      minibatch,
    );
  });
}

/** `reinforce`: −A·log π, nothing clipped. */
export function reinforce(): LossPart {
  return lossPart("reinforce", (minibatch) => reinforceLoss(minibatch, minibatch));
}

/**
 * `tis`: `inner` with each token weighed by min(proximal / behavior, cap), the ratio its own or that of
 * its whole sequence.
 */
export function truncatedImportance<N extends StateName>(
  inner: LossPart<N>,
  cap = 2,
  ratioOf: "token" | "sequence" = "token",
): LossPart<N> {
  const weigh = ratioOf === "token" ? truncatedImportanceWeights : truncatedSequenceWeights;
  return made(
    { cap: fixed(cap) },
    (_, [loss]) =>
      lossPart(
        "tis",
        (minibatch, context) => {
          const { weights } = weigh(minibatch, cap);
          return loss.compute(weighed(minibatch, weights), context);
        },
        { ...loss, around: [loss] },
      ),
    [inner],
  );
}

/** `cov-mask`: `inner` without tokens whose log-prob and advantage vary together the most. */
export function covMask<N extends StateName>(
  inner: LossPart<N>,
  options: Parameters<typeof covarianceMask>[1],
): LossPart<N> {
  return made(
    {},
    (_, [loss]) =>
      lossPart(
        "cov-mask",
        (minibatch, context) => {
          const { weights } = covarianceMask(minibatch, options, context.random);
          return loss.compute(weighed(minibatch, weights), context);
        },
        { ...loss, around: [loss] },
      ),
    [inner],
  );
}

/** `kl-cov`: nothing clipped; the `share` of tokens of highest covariance is pulled back to where it was. */
export function covariancePenalty(share = 2e-3, coefficient = 1): LossPart {
  return lossPart("kl-cov", (minibatch) =>
    covariancePenaltyLoss(
      { ...minibatch, penalised: topCovarianceTokens(minibatch, share) },
      coefficient,
      minibatch,
    ),
  );
}

/**
 * `span-mask`: `inner` on chosen turns only. By default on all of them, which is what a sampled token's
 * mask says anyway: what tools and users said carries no loss.
 */
export function spanMask<N extends StateName>(
  inner: LossPart<N>,
  isChosen?: TurnRule,
): LossPart<N> {
  return made(
    { spanTurns: turnDial(isChosen, "all") },
    ({ spanTurns }, [loss]) => onTurns("span-mask", loss, turnRule(spanTurns, isChosen)),
    [inner],
  );
}

/** `inner` on the turns that a rule wants. */
export function onTurns<N extends StateName>(
  part: string,
  inner: LossPart<N>,
  isWanted: TurnRule,
): LossPart<N> {
  return lossPart(
    part,
    (minibatch, context) => {
      const spans = minibatch.trajectories.flatMap(({ trajectory }, row) =>
        trajectory.turns.flatMap((turn): LabelledSpan[] => {
          const { start, end } = turn;
          if (turn.sample !== minibatch.samples[row]) return [];
          return [{ row, start, end, label: isWanted(turn, trajectory) ? "wanted" : "other" }];
        }),
      );
      const lossMask = maskSpans(minibatch.lossMask, spans, (label) => label === "wanted");
      return inner.compute({ ...minibatch, lossMask }, context);
    },
    { ...inner, around: [inner] },
  );
}

/**
 * `tb`: trajectory balance, log Z estimated from the trajectories of a task or, for single ones, of the
 * batch; the reward over `beta` is log R.
 */
export function trajectoryBalancing(
  beta = 1,
  estimated: "task" | "batch" = "task",
): LossPart<"ref"> {
  return made({ beta: fixed(beta) }, () =>
    lossPart(
      "tb",
      (minibatch) => {
        const batch = {
          ...minibatch,
          referenceLogProbs: present(minibatch.referenceLogProbs, "tb", "a reference policy"),
          logRewards: minibatch.trajectories.map(({ score }) => score.reward / beta),
        };
        const tasks = minibatch.trajectories.map(({ trajectory }) =>
          estimated === "batch" ? "batch" : JSON.stringify(trajectory.record.task ?? trajectory.id),
        );
        return trajectoryBalance({ ...batch, logPartitions: groupLogPartitions(batch, tasks) });
      },
      { needs: ["ref"] },
    ),
  );
}

/** `entropy-bonus`: pays uncertainty. */
export function entropyBonus(coefficient: number): LossPart {
  return lossPart(
    "entropy-bonus",
    (minibatch) => entropyBonusLoss(minibatch, coefficient, minibatch),
    { derivatives: ["entropy"] },
  );
}
