/**
 * `frontier`: a proposer is paid most for tasks of intermediate pass rate, nothing for solved or
 * hopeless ones, and nothing for tasks that cannot be answered from its own evidence.
 *
 * Source: SPICE, Search Self-Play; 4p(1 − p) is our choice of the curve.
 */
import { option, definePart } from "../composition/part-options.ts";
import type { RewardPart } from "../composition/part.ts";
import type { StateName } from "../composition/state.ts";
import { PROPOSER, SHOWN, SOLVER } from "../rollouts/proposals.ts";
import { meanOf, requireInside } from "../statistics.ts";

/** All 1 at p = 0.5 and 0 at 0 and 1: 4p(1 − p), its root 2√(p(1 − p)), and 1 − |2p − 1|. */
export type FrontierCurve = "parabola" | "deviation" | "tent";

const FRONTIER_CURVES: readonly FrontierCurve[] = ["parabola", "deviation", "tent"];

export function frontierReward(
  passRate: number,
  isAnswerable: boolean = true,
  curve: FrontierCurve = "parabola",
): number {
  requireInside("passRate", passRate, 0, 1);
  if (!isAnswerable) return 0;
  const parabola = 4 * passRate * (1 - passRate);
  if (curve === "parabola") return parabola;
  return curve === "deviation" ? Math.sqrt(parabola) : 1 - Math.abs(2 * passRate - 1);
}

/**
 * `frontier`: who solves is paid by `solved`, who set the task by how far its tries were from all right and
 * all wrong, and nothing for a task that could not be shown to have an answer.
 */
export function frontier<N extends StateName>(
  solved: RewardPart<N>,
  curve?: FrontierCurve,
): RewardPart<N> {
  return definePart(
    { curve: option(curve, "parabola", FRONTIER_CURVES) },
    (given, [part]) => onFrontier(part, given.curve),
    [solved],
  );
}

function onFrontier<N extends StateName>(
  solved: RewardPart<N>,
  curve: FrontierCurve,
): RewardPart<N> {
  return {
    slot: "reward",
    part: "frontier",
    needs: solved.needs,
    around: [solved],
    rewards: async (group, context) => {
      const scores = await solved.rewards(group, context);
      return group.trajectories.map((trajectory, i) => {
        const own = scores[i] ?? { total: 0 };
        // Learned by itself, not by what it earned.
        if (trajectory.role === SHOWN) return { total: 0 };
        if (trajectory.role !== PROPOSER) return own;
        const tries = group.trajectories.flatMap(({ role, joint }, j) =>
          role === SOLVER && joint === trajectory.id ? [scores[j]?.total ?? 0] : [],
        );
        const passRate = tries.length === 0 ? 0 : Math.min(1, Math.max(0, meanOf(tries)));
        return { total: frontierReward(passRate, trajectory.verification.success, curve) };
      });
    },
  };
}
