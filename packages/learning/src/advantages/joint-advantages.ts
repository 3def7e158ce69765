/** Advantages of joint trajectories, and of turns as separate samples. */
import type { AdvantagePart } from "../composition/part.ts";
import { withScale } from "./advantage-scale.ts";
import { advantagePart, byRewards } from "./credit.ts";
import { groupAdvantage, groupRelativeAdvantages } from "./group-advantages.ts";
import type { GroupAdvantageOptions } from "./group-advantage-options.ts";
import { oncePerTrajectory } from "./trajectory-tree.ts";

/**
 * `broadcast`: every turn is a sample of its own and carries the advantage of its rollout.
 *
 * Source: Li et al. 2025, "In-the-Flow Agentic System Optimization" (Flow-GRPO), arXiv:2510.05592.
 */
export function broadcastTurns(options?: GroupAdvantageOptions): AdvantagePart<never, "group"> {
  return withScale(options, (scaled) => {
    return { ...jointAdvantage(scaled), part: "broadcast", around: [groupAdvantage(scaled)] };
  });
}

/**
 * `joint`: the group statistic over joint rollouts; all members of one have the same advantage.
 *
 * Source: Liu et al. 2025, "LLM Collaboration With Multi-Agent RL" (MAGRPO), arXiv:2508.04652.
 */
export function jointAdvantage(options?: GroupAdvantageOptions): AdvantagePart<never, "group"> {
  return withScale(options, (scaled) => {
    return advantagePart("joint", "group", (groups) =>
      byRewards(groups, (rewards, trajectories) => {
        const jointOf = trajectories.map(({ trajectory }) => trajectory.joint ?? trajectory.id);
        return oncePerTrajectory(rewards, jointOf, (earned) =>
          groupRelativeAdvantages(earned, scaled),
        );
      }),
    );
  });
}
