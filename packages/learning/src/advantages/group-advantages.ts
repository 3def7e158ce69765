/**
 * Group-relative advantages: a rollout is compared with the other rollouts of its task. No critic and no
 * discount: every token of a trajectory gets the same advantage.
 *
 * Source: Shao et al. 2024, "DeepSeekMath" (GRPO), arXiv:2402.03300
 * Differs from it by default: no division by the group's standard deviation (Liu et al. 2025, "Understanding
 * R1-Zero-Like Training" (Dr. GRPO), arXiv:2503.20783), because that gives the most weight to tasks whose
 * rollouts nearly agree. `scale: "std"` gives the published form.
 */
import type { RewardedTrajectory } from "../composition/part.ts";
import { deviationOf, meanOf, requireGroup } from "../statistics.ts";
import { withScale } from "./advantage-scale.ts";
import { advantagePart, byRewards, byTurns, type GroupPart, reputationsOf } from "./credit.ts";
import type { GroupAdvantageOptions } from "./group-advantage-options.ts";

/**
 * One advantage per rollout of one group.
 *
 * @param rewards - `[G]` returns of the rollouts of one task.
 * @param weights - `[G]` weight above 0 of each rollout in mean and deviation; default 1.
 * @returns `[G]` advantages; their sum with the weights is 0. All 0 for equal rewards.
 * @throws WaggleError `GROUP_TOO_SMALL` when G < 2: one rollout has no baseline.
 * @throws WaggleError `NON_FINITE_REWARD` naming the first offending index.
 */
export function groupRelativeAdvantages(
  rewards: readonly number[],
  options: GroupAdvantageOptions = {},
  weights?: readonly number[],
): number[] {
  const { scale = "none", convention = "population", epsilon = 1e-6 } = options;
  requireGroup(rewards);
  const mean = meanOf(rewards, weights);
  const centered = rewards.map((reward) => reward - mean);
  if (scale === "none") return centered;
  const std = deviationOf(rewards, convention, weights);
  return centered.map((c) => c / (std + epsilon));
}

/** `[G]` advantages of a group's trajectories by the total of their rewards. */
export function totalAdvantages(
  trajectories: readonly RewardedTrajectory[],
  options: GroupAdvantageOptions,
): number[] {
  return groupRelativeAdvantages(
    trajectories.map(({ reward }) => reward.total),
    options,
    reputationsOf(trajectories),
  );
}

/** `group`: r − mean, divided by the population deviation unless `scale` says otherwise. */
export function groupAdvantage(options?: GroupAdvantageOptions): GroupPart {
  return withScale(options, (scaled) => {
    return advantagePart("group", "group", (groups) =>
      byRewards(groups, (_, trajectories) => totalAdvantages(trajectories, scaled)),
    );
  });
}

/** `broadcast`: every turn is a sample of its own and carries the trajectory's advantage. */
export function broadcast(options?: GroupAdvantageOptions): GroupPart {
  return withScale(options, (scaled) => {
    return advantagePart(
      "broadcast",
      "group",
      (groups) =>
        byTurns(groups, (trajectories) => {
          const ofGroup = totalAdvantages(trajectories, scaled);
          return trajectories.map(({ trajectory }, i) =>
            trajectory.turns.map(() => ofGroup[i] as number),
          );
        }),
      { around: [groupAdvantage(scaled)] },
    );
  });
}
