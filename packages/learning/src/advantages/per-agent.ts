/**
 * `per-agent`: each role is normalized on its own scale, so a role with small rewards does not look bad next
 * to one with large rewards. Not a team reward: each agent keeps its own reward.
 *
 * Source: Yuan et al. 2025, "MARS" (agent-specific advantage normalization), arXiv:2510.15414; Liao et al.
 * 2025, "MARFT", arXiv:2504.16129.
 */
import type {
  AdvantagePart,
  AdvantageRows,
  RewardedGroup,
  RewardedTrajectory,
} from "../composition/part.ts";
import { indicesByKey, requireSameLength } from "../statistics.ts";
import { withScale } from "./advantage-scale.ts";
import { advantagePart, byRewards, byTurns, type GroupPart, turnRewards } from "./credit.ts";
import { groupRelativeAdvantages } from "./group-advantages.ts";
import type { GroupAdvantageOptions } from "./group-advantage-options.ts";
import { type TurnAdvantageOptions, turnAdvantages } from "./turn-returns.ts";

/**
 * Advantages within each role.
 *
 * @param rewards - `[N]` of all agents of one task group.
 * @param agents - `[N]` role of each.
 * @param estimator - applied within each role: `[n]` rewards to `[n]` advantages.
 * @returns `[N]`, with the estimator's invariants within each role, such as mean 0 for a group statistic.
 */
export function perAgentAdvantages(
  rewards: readonly number[],
  agents: readonly string[],
  estimator: (rewards: readonly number[], agent: string) => readonly number[],
): number[] {
  requireSameLength("agents", agents.length, "rewards", rewards.length);
  const advantages = rewards.map(() => 0);
  for (const [agent, indices] of indicesByKey(agents)) {
    const own = estimator(
      indices.map((i) => rewards[i]!),
      agent,
    );
    for (const [at, i] of indices.entries()) advantages[i] = own[at] as number;
  }
  return advantages;
}

/** One advantage per trajectory, from the rewards of its role in the group. */
export function byRoles(
  groups: readonly RewardedGroup[],
  advantagesOf: (ofRole: readonly number[], role: string) => readonly number[],
): { readonly advantages: AdvantageRows } {
  return byRewards(groups, (rewards, trajectories) =>
    perAgentAdvantages(
      rewards,
      trajectories.map(({ trajectory }) => trajectory.role),
      advantagesOf,
    ),
  );
}

/** `per-agent`: the group statistic of each role separately. */
export function perAgent(options?: GroupAdvantageOptions): GroupPart {
  return withScale(options, (scaled) => {
    return advantagePart("per-agent", "group", (groups) =>
      byRoles(groups, (ofRole) => groupRelativeAdvantages(ofRole, scaled)),
    );
  });
}

/** `turn`: compares each turn's return with those of the same role, on the role's own scale. */
export function perAgentTurns(options?: TurnAdvantageOptions): AdvantagePart<never, "group"> {
  return withScale(options, turnsAmongRoles);
}

function turnsAmongRoles(options: TurnAdvantageOptions): AdvantagePart<never, "group"> {
  return advantagePart(
    "turn",
    "group",
    (groups) =>
      byTurns(groups, (trajectories) => {
        const advantages: number[][] = trajectories.map(() => []);
        for (const [, members] of indicesByKey(
          trajectories.map(({ trajectory }) => trajectory.role),
        )) {
          const own = turnAdvantages(
            members.map((i) => turnRewards(trajectories[i] as RewardedTrajectory)),
            options,
          );
          for (const [at, i] of members.entries()) advantages[i] = own[at] as number[];
        }
        return advantages;
      }),
    { around: [perAgent(options)] },
  );
}
