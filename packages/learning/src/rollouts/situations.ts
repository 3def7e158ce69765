/**
 * Situations of a self-aware agent: it can go on, must think again, or must ask. The policy's own rollouts at
 * a task determine its situation.
 *
 * Source: KnowSelf (situation tokens on self-explored runs).
 */
import { verifiedWorth } from "../composition/judged-trajectory.ts";
import type { RewardedGroup, RewardedTrajectory, RolloutPart } from "../composition/part.ts";
import type { Situation, SituationWords } from "../composition/rollout-plan.ts";

/** `single`: two rollouts of the policy at a task, and rollouts that start with each situation's words. */
export function selfExplored(rethink: string, words: SituationWords): RolloutPart<never, "single"> {
  return {
    slot: "rollout",
    part: "single",
    start: "single",
    needs: [],
    plan: () => ({ kind: "situated", rethink, words }),
  };
}

/** The situation from two rollouts: right at once, right after thinking again, or wrong. */
export function situationOf({ trajectories }: RewardedGroup, threshold: number): Situation {
  const [first, second] = trajectories.filter(({ trajectory }) => trajectory.role === "student");
  const isRight = (rewarded: RewardedTrajectory | undefined): boolean =>
    rewarded !== undefined && verifiedWorth(rewarded.trajectory) >= threshold;
  if (isRight(first)) return "go-on";
  return isRight(second) ? "rethink" : "ask";
}

export function isOf(situation: Situation): (rewarded: RewardedTrajectory) => boolean {
  return ({ trajectory }) => trajectory.role === situation;
}
