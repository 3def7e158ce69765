/**
 * One advantage per trajectory, for reports, exports to other trainers and the negative control. Recipes
 * themselves give one to each token.
 */
import type { AdvantageRows, RewardedGroup, RewardedTrajectory } from "../composition/part.ts";
import { meanOf } from "../statistics.ts";
import { shuffled } from "./shuffle.ts";

/** Mean over the tokens in the loss; 0 for a trajectory without any. */
export function meanAdvantage(rewarded: RewardedTrajectory, advantages: AdvantageRows): number {
  return meanOf(tokenAdvantages(rewarded, advantages));
}

/** Whether all tokens in the loss have the same advantage, up to rounding. */
export function hasOneAdvantage(rewarded: RewardedTrajectory, advantages: AdvantageRows): boolean {
  const values = tokenAdvantages(rewarded, advantages);
  const mean = meanOf(values);
  return values.every((value) => Math.abs(value - mean) <= 1e-9);
}

/** Deals the trajectories' mean advantages out at random, one to all tokens of a trajectory. */
export function shuffledAdvantages(
  advantages: AdvantageRows,
  groups: readonly RewardedGroup[],
  random: () => number,
): AdvantageRows {
  const trajectories = groups.flatMap((group) => group.trajectories);
  const dealt = shuffled(
    trajectories.map((rewarded) => meanAdvantage(rewarded, advantages)),
    random,
  );
  return new Map(
    trajectories.map(({ trajectory, lossMask }, i) => {
      const rows = lossMask.map((mask) =>
        Float64Array.from(mask, (counts) => (counts ? (dealt[i] as number) : 0)),
      );
      return [trajectory.id, rows] as const;
    }),
  );
}

/** Advantages of the tokens in the loss, in order. */
function tokenAdvantages(
  { trajectory, lossMask }: RewardedTrajectory,
  advantages: AdvantageRows,
): number[] {
  const rows = advantages.get(trajectory.id);
  return lossMask.flatMap((mask, i) =>
    mask.flatMap((counts, t) => (counts ? [rows?.[i]?.[t] ?? 0] : [])),
  );
}
