/**
 * `team`: one reward for several agents, from their own rewards or from the joint outcome. No credit
 * assignment between agents: all get the same.
 *
 * Source: MAGRPO, CORY; `worst` as in hide-and-seek's all-or-nothing payoffs (multi-agent autocurricula).
 */
import { type JudgedTrajectory, toolCalls } from "../composition/judged-trajectory.ts";
import { option, definePart } from "../composition/part-options.ts";
import type { RewardPart } from "../composition/part.ts";
import { meanOf, requireFiniteRewards, requireInside, sumOf } from "../statistics.ts";

/** How the agents' own rewards are combined. */
export type TeamRule = "mean" | "sum" | "worst" | "best";

const TEAM_RULES: readonly TeamRule[] = ["mean", "sum", "worst", "best"];

/** `[agents]` the same reward for each. */
export function teamReward(own: readonly number[], rule: TeamRule): number[] {
  requireInside("number of agents", own.length, 1, Number.MAX_SAFE_INTEGER);
  requireFiniteRewards(own);
  const joint = {
    mean: meanOf,
    sum: sumOf,
    worst: (values: readonly number[]) => Math.min(...values),
    best: (values: readonly number[]) => Math.max(...values),
  }[rule](own);
  return own.map(() => joint);
}

/** Two sides of a game with opposite rewards: `[sides]` reward of each minus the other's. */
export function zeroSumReward(rewards: readonly [number, number]): [number, number] {
  requireFiniteRewards(rewards);
  return [rewards[0] - rewards[1], rewards[1] - rewards[0]];
}

/**
 * `team`: one reward for all members of a joint rollout, by default their mean; for the whole group if there
 * are no joint rollouts.
 */
export function team(rule?: TeamRule): RewardPart {
  return definePart({ team: option(rule, "mean", TEAM_RULES) }, (given): RewardPart => ({
    slot: "reward",
    part: "team",
    needs: [],
    rewards: ({ trajectories }) =>
      trajectories.map(({ joint }) => {
        const members = trajectories.filter((other) => other.joint === joint);
        const earned = teamReward(
          members.map(({ verification }) => verification.reward),
          given.team,
        );
        return { total: earned[0] as number };
      }),
  }));
}

/**
 * `outcome` of a match: the result of a rollout's side minus that of the other side, in [-1, 1]; equal
 * results are decided by fewer calls. One side's gain is the other's loss.
 */
export function matchOutcome(callPrice?: number, part: "outcome" | "team" = "outcome"): RewardPart {
  return definePart({ callPrice: option(callPrice, 0.02) }, ({ callPrice }) => {
    const worth = (trajectory: JudgedTrajectory): number =>
      trajectory.verification.reward - callPrice * toolCalls(trajectory);
    return {
      slot: "reward",
      part,
      needs: [],
      rewards: ({ trajectories }) =>
        trajectories.map((trajectory) => {
          const others = trajectories.filter(
            (other) => other.joint === trajectory.joint && other.id !== trajectory.id,
          );
          const [other] = others;
          if (other === undefined) return { total: 0 };
          const [own] = zeroSumReward([worth(trajectory), worth(other)]);
          return { total: own };
        }),
    };
  });
}
