/**
 * `split`: each reward channel is normalized separately before the sum, so that a channel of small spread
 * keeps its weight. A conditional channel exists for some rollouts only (economy among the correct ones);
 * elsewhere it adds 0.
 *
 * Source: "Act Wisely" (HDPO), decoupled accuracy and efficiency channels; the sum A_acc + w · A_eff is our
 * reading. "Rethinking Reinforcement Fine-Tuning in LVLM" (TA-MDP), joint against per-component.
 */
import { option, definePart } from "../composition/part-options.ts";
import { componentOf } from "../rewards/combinators.ts";
import { requireFiniteRewards, requireSameLength } from "../statistics.ts";
import { withScale } from "./advantage-scale.ts";
import { advantagePart, byRewards, type GroupPart } from "./credit.ts";
import { groupAdvantage, groupRelativeAdvantages } from "./group-advantages.ts";
import type { GroupAdvantageOptions } from "./group-advantage-options.ts";

/** One channel of the reward. */
export type RewardChannel = {
  /** `[G]`; not read for rollouts with `among` false. */
  readonly rewards: readonly number[];
  readonly weight: number;
  /** `[G]` whether the channel exists for a rollout. Default: all. With fewer than two it adds 0. */
  readonly among?: readonly boolean[];
  readonly options?: GroupAdvantageOptions;
};

/**
 * Sum of separately normalized channels.
 *
 * @returns `[G]` weighted sum of the channels' advantages.
 * @throws WaggleError `SHAPE_MISMATCH`, `NON_FINITE_REWARD`; `GROUP_TOO_SMALL` for an unconditional channel
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

/** `split`: normalizes components separately; economy only among correct trajectories. */
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

/** `split`: the named components of the reward, each normalized separately, summed with these weights. */
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
