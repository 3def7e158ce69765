/**
 * `split`: each reward channel is normalized apart and only then summed, so that a channel of small
 * spread is not drowned by another. A conditional channel exists among some rollouts only: economy
 * among the correct ones; elsewhere it adds nothing.
 *
 * Source: "Act Wisely" (HDPO), decoupled accuracy and efficiency channels; the sum A_acc + w · A_eff is
 * our reading. "Rethinking Reinforcement Fine-Tuning in LVLM" (TA-MDP), joint against per-component.
 */
import { option, definePart } from "../composition/part-options.ts";
import { componentOf } from "../rewards/combinators.ts";
import { requireFiniteRewards, requireSameLength } from "../statistics.ts";
import { withScale } from "./advantage-scale.ts";
import { advantagePart, byRewards, type GroupPart } from "./credit.ts";
import { groupAdvantage, groupRelativeAdvantages } from "./group-advantages.ts";
import type { GroupAdvantageOptions } from "./group-advantage-options.ts";

export type RewardChannel = {
  /** `[G]`; not read where `among` is false. */
  readonly rewards: readonly number[];
  readonly weight: number;
  /** `[G]` rollouts this channel exists for. Default: all. Fewer than two add nothing. */
  readonly among?: readonly boolean[];
  readonly options?: GroupAdvantageOptions;
};

/**
 * @returns `[G]` weighted sum of the channels' advantages.
 * @throws WaggleError `SHAPE_MISMATCH`, `NON_FINITE_REWARD`, `GROUP_TOO_SMALL` for a channel over all
 *   of a group of one.
 */
export function splitAdvantages(channels: readonly RewardChannel[]): number[] {
  const G = channels[0]?.rewards.length ?? 0;
  const sum = Array.from({ length: G }, () => 0);
  for (const { rewards, weight, among, options } of channels) {
    requireSameLength("rewards", rewards.length, "the first channel", G);
    if (among !== undefined) requireSameLength("among", among.length, "rewards", G);
    const members = rewards.map((_, i) => i).filter((i) => among?.[i] ?? true);
    const own = members.map((i) => rewards[i]!);
    if (among !== undefined && members.length < 2) {
      requireFiniteRewards(own);
      continue;
    }
    const advantages = groupRelativeAdvantages(own, options);
    for (const [at, i] of members.entries()) sum[i] = sum[i]! + weight * advantages[at]!;
  }
  return sum;
}

/** `split`: components normalized apart; the economy among correct trajectories only. */
export function splitAdvantage(costWeight?: number): GroupPart {
  return definePart({ costWeight: option(costWeight, 0.3) }, ({ costWeight }) =>
    advantagePart("split", "group", (groups) =>
      byRewards(groups, (_, trajectories) => {
        const component = (name: string): number[] =>
          trajectories.map(({ reward }) => reward.components?.[name] ?? reward.total);
        return splitAdvantages([
          { rewards: component("outcome"), weight: 1 },
          {
            rewards: component("cost").map((cost) => -cost),
            weight: costWeight,
            among: trajectories.map(({ trajectory }) => trajectory.verification.success),
          },
        ]);
      }),
    ),
  );
}

/** `split`: the reward's components by name, each normalized apart, summed by these weights. */
export function splitComponents(weights: { readonly [component: string]: number }): GroupPart {
  return withScale(undefined, (options) => {
    return advantagePart(
      "split",
      "group",
      (groups) =>
        byRewards(groups, (_, trajectories) =>
          splitAdvantages(
            Object.entries(weights).map(([name, weight]) => ({
              rewards: trajectories.map(({ reward }) => componentOf(reward.components ?? {}, name)),
              weight,
              options,
            })),
          ),
        ),
      { around: [groupAdvantage(options)] },
    );
  });
}
