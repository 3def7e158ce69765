/**
 * `mix`: the trajectory's advantage plus α times the step's own. Step rewards come from a process reward
 * (implicit, judged or learned); the outcome calibrates each kind, so the steps of a failure never outrank
 * those of a success.
 *
 * Source: Liu et al. 2025, "Agentic RL with Implicit Step Rewards" (OPRL/iStar), arXiv:2509.19199; Xu et al.
 * 2025, "Hybrid Reward Normalization" (PPR), arXiv:2509.25598
 * Differs from PPR: ReNorm's shift is written as an option (`calibrate`), not as the only form.
 */
import {
  type DeviationConvention,
  deviationOf,
  meanOf,
  requireFiniteRewards,
  requireSameLength,
} from "../statistics.ts";
import { withScale } from "./advantage-scale.ts";
import { advantagePart, byTurns, type GroupPart } from "./credit.ts";
import { groupAdvantage, groupRelativeAdvantages } from "./group-advantages.ts";

/** Weight and scale of the mix. */
export type StepMixOptions = {
  /** Weight of the step's advantage; 0 is plain GRPO. Default 1. */
  readonly stepWeight?: number;
  /** `none`: r − mean. `std`: divided by the deviation. For both terms. Default `std`. */
  readonly scale?: "none" | "std";
  /** Default `population`. */
  readonly convention?: DeviationConvention;
  /** Default 1e-6. */
  readonly epsilon?: number;
};

/**
 * Mixed advantages of one group.
 *
 * @param outcomes - `[G]` rewards of the trajectories of one task.
 * @param stepRewards - `[G][steps]` process rewards; numbers of steps may differ.
 * @returns `[G][steps]` trajectory advantage + α · step advantage, the latter over all steps of the group.
 * @throws WaggleError `GROUP_TOO_SMALL`, `NON_FINITE_REWARD`, `SHAPE_MISMATCH`.
 */
export function mixedStepAdvantages(
  outcomes: readonly number[],
  stepRewards: readonly (readonly number[])[],
  options: StepMixOptions = {},
): number[][] {
  const { stepWeight = 1, scale = "std", convention = "population", epsilon = 1e-6 } = options;
  requireSameLength("stepRewards", stepRewards.length, "outcomes", outcomes.length);
  const trajectory = groupRelativeAdvantages(outcomes, { scale, convention, epsilon });
  const all = stepRewards.flat();
  requireFiniteRewards(all);
  const mean = meanOf(all);
  const divisor = scale === "none" ? 1 : deviationOf(all, convention) + epsilon;
  return stepRewards.map((row, i) =>
    row.map((reward) => trajectory[i]! + (stepWeight * (reward - mean)) / divisor),
  );
}

/**
 * Process rewards in [0, 1] centered on the outcome of their trajectory, so every step of a success is
 * above every step of a failure.
 *
 * @param outcome - in [0, 1], verified.
 * @param rewards - `[steps]` in [0, 1].
 * @param spread - largest distance from the outcome; below 0.5 the order of outcomes 1 and 0 is preserved.
 *   Default 0.25.
 */
export function calibratedByOutcome(
  outcome: number,
  rewards: readonly number[],
  spread: number = 0.25,
): number[] {
  return rewards.map((reward) => outcome + spread * (2 * reward - 1));
}

/** `mix`: A of the trajectory plus α times the turn's own, from process rewards. */
export function mixedSteps(options: StepMixOptions = {}): GroupPart {
  return withScale(options, (scaled) => {
    return advantagePart(
      "mix",
      "group",
      (groups) =>
        byTurns(groups, (trajectories) =>
          mixedStepAdvantages(
            trajectories.map(({ reward }) => reward.total),
            trajectories.map(({ trajectory, reward }) =>
              trajectory.turns.map((turn, i) => reward.turnRewards?.[i] ?? turn.reward ?? 0),
            ),
            scaled,
          ),
        ),
      { around: [groupAdvantage(scaled)] },
    );
  });
}
