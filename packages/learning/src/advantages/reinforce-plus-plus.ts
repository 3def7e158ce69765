/**
 * REINFORCE++: discounted token returns whitened over the whole batch, with or without the group mean as a
 * baseline. No critic and no clipping of its own. The KL in the reward is k1; the loss must then have no KL
 * term.
 *
 * Source: Hu et al. 2025, "REINFORCE++", arXiv:2501.03262.
 */
import { option, definePart } from "../composition/part-options.ts";
import type { AdvantagePart, RewardedTrajectory } from "../composition/part.ts";
import {
  type DeviationConvention,
  deviationOf,
  indicesByKey,
  meanOf,
  requireFiniteRewards,
  requireGroup,
  requireSameLength,
} from "../statistics.ts";
import { finiteAt, forEachLossToken, type LossMask, type TokenRows } from "../token-rows.ts";
import { advantagePart, overCredited, trajectoriesOf } from "./credit.ts";

/** Options of `reinforcePlusPlusAdvantages`. */
export type ReinforcePlusPlusOptions = {
  /** Per token, in (0, 1]. Default 1. */
  readonly discount?: number;
  /** Coefficient of the k1 penalty in the reward. Default 0. */
  readonly klCoefficient?: number;
  /** `[B][T]` log π − log π_ref of the sampled tokens, detached; required if the coefficient is not 0. */
  readonly referenceGaps?: TokenRows;
  /** `[B]` group of each row, whose mean is subtracted first (REINFORCE++-baseline). */
  readonly groups?: readonly string[];
  /** Which standard deviation to divide by. Default `population`. */
  readonly convention?: DeviationConvention;
  /** Added to the standard deviation. Default 1e-8. */
  readonly epsilon?: number;
};

/**
 * `[B][T]` advantages: mean 0 and standard deviation 1 over the loss tokens of the batch, 0 elsewhere.
 *
 * @param rewards - `[B]` outcomes, on the last loss token of each row.
 * @param lossMask - `[B][T]` sampled tokens; only these count as time steps.
 * @throws WaggleError `GROUP_TOO_SMALL` for a group of one if `groups` is given.
 */
export function reinforcePlusPlusAdvantages(
  rewards: readonly number[],
  lossMask: LossMask,
  options: ReinforcePlusPlusOptions = {},
): Float64Array[] {
  const { discount = 1, convention = "population", epsilon = 1e-8 } = options;
  requireSameLength("rewards", rewards.length, "lossMask", lossMask.length);
  requireFiniteRewards(rewards);
  const centered = options.groups === undefined ? rewards : minusGroupMean(rewards, options.groups);
  const returns = lossMask.map((row, b) =>
    tokenReturns(row, discount, (t, isLast) => {
      const penalty = options.klCoefficient ?? 0;
      const kl =
        penalty === 0 ? 0 : penalty * finiteAt(options.referenceGaps ?? [], "referenceGaps", b, t);
      return (isLast ? (centered[b] as number) : 0) - kl;
    }),
  );
  return whitenedRows(returns, lossMask, { convention, epsilon });
}

/**
 * `[T]` discounted sums from each loss token to the end. Other tokens take no time and get 0.
 *
 * @param rewardAt - reward of loss token `t`.
 */
function tokenReturns(
  kept: readonly boolean[],
  discount: number,
  rewardAt: (t: number, isLast: boolean) => number,
): Float64Array {
  const returns = new Float64Array(kept.length);
  const last = kept.lastIndexOf(true);
  let next = 0;
  for (let t = last; t >= 0; t -= 1) {
    if (!kept[t]) continue;
    next = rewardAt(t, t === last) + discount * next;
    returns[t] = next;
  }
  return returns;
}

/** Rows shifted and scaled to mean 0 and deviation 1 over the loss tokens, 0 elsewhere. */
export function whitenedRows(
  rows: TokenRows,
  lossMask: LossMask,
  options: { readonly convention: DeviationConvention; readonly epsilon: number },
): Float64Array[] {
  const values: number[] = [];
  forEachLossToken(lossMask, (b, t) => values.push(finiteAt(rows, "rows", b, t)));
  const mean = meanOf(values);
  const scale = 1 / (deviationOf(values, options.convention) + options.epsilon);
  return lossMask.map((row, b) =>
    Float64Array.from(row, (kept, t) => (kept ? ((rows[b]?.[t] as number) - mean) * scale : 0)),
  );
}

function minusGroupMean(rewards: readonly number[], groups: readonly string[]): number[] {
  requireSameLength("groups", groups.length, "rewards", rewards.length);
  const centered = [...rewards];
  for (const indices of indicesByKey(groups).values()) {
    const members = indices.map((i) => rewards[i] as number);
    requireGroup(members);
    const mean = meanOf(members);
    for (const i of indices) centered[i] = (rewards[i] as number) - mean;
  }
  return centered;
}

/** `reinforce++`: returns whitened over the whole batch. Also works for single trajectories. */
export function reinforcePlusPlus(options: BatchWhitening = {}): AdvantagePart<never, "single"> {
  return definePart({ discount: option(options.discount, 1) }, (given) =>
    whitenedOverBatch({ ...options, ...given }),
  );
}

type BatchWhitening = Omit<ReinforcePlusPlusOptions, "groups" | "referenceGaps" | "klCoefficient">;

function whitenedOverBatch(options: BatchWhitening): AdvantagePart<never, "single"> {
  return advantagePart("reinforce++", "single", (groups) => {
    const all = trajectoriesOf(groups);
    const rows = all.flatMap((rewarded) => rewarded.lossMask.map((mask) => ({ rewarded, mask })));
    const ofRows = all.some(hasCredits)
      ? whitenedCredits(all, options)
      : reinforcePlusPlusAdvantages(
          rows.map(({ rewarded }) => rewarded.reward.total),
          rows.map(({ mask }) => mask),
          options,
        );
    const advantages = new Map<string, Float64Array[]>();
    for (const [r, { rewarded }] of rows.entries()) {
      const { id } = rewarded.trajectory;
      advantages.set(id, [...(advantages.get(id) ?? []), ofRows[r] as Float64Array]);
    }
    return { advantages };
  });
}

/** Whether feedback is about single turns. */
function hasCredits({ trajectory }: RewardedTrajectory): boolean {
  return trajectory.turns.some(({ credit }) => credit !== undefined);
}

/** A turn returns its own reward to its tokens, without a discount. Tokens of turns without feedback do not count. */
function whitenedCredits(
  all: readonly RewardedTrajectory[],
  { convention = "population", epsilon = 1e-8 }: BatchWhitening,
): Float64Array[] {
  requireFiniteRewards(all.map(({ reward }) => reward.total));
  const rowsOf = (valueOf: (credit: number) => number) =>
    all.flatMap((rewarded) => [...overCredited(rewarded, valueOf)]);
  const counted = rowsOf(() => 1).map((row) => Array.from(row, (one) => one === 1));
  return whitenedRows(
    rowsOf((credit) => credit),
    counted,
    { convention, epsilon },
  );
}
