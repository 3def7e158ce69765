/**
 * `frontier`: a proposer earns most for tasks of intermediate pass rate, and nothing for solved, hopeless or
 * unanswerable ones.
 *
 * Source: SPICE, Search Self-Play; 4p(1 − p) is our choice of the curve.
 */
import { option, definePart } from "../composition/part-options.ts";
import type { RewardPart } from "../composition/part.ts";
import type { StateName } from "../composition/state.ts";
import { PROPOSER, SHOWN, SOLVER } from "../rollouts/proposals.ts";
import { meanOf, requireInside } from "../statistics.ts";

/** Each is 1 at p = 0.5 and 0 at 0 and 1: 4p(1 − p), its root 2√(p(1 − p)), and 1 − |2p − 1|. */
export type FrontierCurve = "parabola" | "deviation" | "tent";

const FRONTIER_CURVES: readonly FrontierCurve[] = ["parabola", "deviation", "tent"];

/** The proposer's reward for a task with this pass rate; 0 if it is not answerable. */
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
 * `frontier`: solvers earn `solved`; the proposer earns by how close its task's pass rate is to ½, and
 * nothing for a task without a confirmed answer.
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
      const solvers = await solved.rewards(group, context);
      return group.trajectories.map((trajectory, i) => {
        const own = solvers[i] ?? { total: 0 };
        // Demonstrations are imitated and earn no reward.
        if (trajectory.role === SHOWN) return { total: 0 };
        if (trajectory.role !== PROPOSER) return own;
        const tries = group.trajectories.flatMap(({ role, joint }, j) =>
          role === SOLVER && joint === trajectory.id ? [solvers[j]?.total ?? 0] : [],
        );
        const passRate = tries.length === 0 ? 0 : Math.min(1, Math.max(0, meanOf(tries)));
        return { total: frontierReward(passRate, trajectory.verification.success, curve) };
      });
    },
  };
}
