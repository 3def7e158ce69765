/**
 * GiGPO: a trajectory's advantage within its task group plus a step's advantage among the steps taken in the
 * same state of the same task group. Equal states of different tasks are different groups; a hash of the
 * observation alone would merge them.
 *
 * Source: Feng et al. 2025, "Group-in-Group Policy Optimization", arXiv:2505.10978.
 * Differs from it: the key is (task group, state), where ROLL's reads the bare state hash.
 */
import {
  type DeviationConvention,
  deviationOf,
  indicesByKey,
  meanOf,
  requireFiniteRewards,
} from "../statistics.ts";
import { advantagePart, byTurns, type GroupPart, turnRewards } from "./credit.ts";
import { groupRelativeAdvantages } from "./group-advantages.ts";
import { discountedReturns } from "./turn-returns.ts";

type StateStep = {
  /** Key of the state in which the step was taken, within its task. */
  readonly state: string;
  readonly reward: number;
};

/** One trajectory of the batch. */
export type StateTrajectory = {
  /** Task group. */
  readonly group: string;
  /** Reward of the whole trajectory. */
  readonly reward: number;
  readonly steps: readonly StateStep[];
};

/** Weights, discount and scale of GiGPO. */
export type StateGroupOptions = {
  /** Weight of the trajectory's advantage. Default 1. */
  readonly trajectoryWeight?: number;
  /** Weight of the step's advantage; 0 is plain GRPO. Default 1. */
  readonly stepWeight?: number;
  /** Per step. Default 0.95. */
  readonly discount?: number;
  readonly scale?: "none" | "std";
  /** Default `population`. */
  readonly convention?: DeviationConvention;
  /** Default 1e-6. */
  readonly epsilon?: number;
};

/**
 * GiGPO advantages of a batch.
 *
 * @returns `[trajectories][steps]` advantages. A state that occurs once adds 0.
 * @throws WaggleError `GROUP_TOO_SMALL` for a task group of one, `NON_FINITE_REWARD`.
 */
export function stateGroupAdvantages(
  trajectories: readonly StateTrajectory[],
  options: StateGroupOptions = {},
): number[][] {
  const { trajectoryWeight = 1, stepWeight = 1, discount = 0.95 } = options;
  const scaling = {
    scale: options.scale ?? "none",
    convention: options.convention ?? "population",
    epsilon: options.epsilon ?? 1e-6,
  } as const;
  const trajectory = trajectories.map(() => 0);
  for (const indices of indicesByKey(trajectories.map(({ group }) => group)).values()) {
    const own = groupRelativeAdvantages(
      indices.map((i) => trajectories[i]!.reward),
      scaling,
    );
    for (const [at, i] of indices.entries()) trajectory[i] = own[at] as number;
  }
  const places = trajectories.flatMap(({ group, steps }, i) => {
    const rewards = steps.map((step) => step.reward);
    requireFiniteRewards(rewards);
    const returns = discountedReturns(rewards, discount);
    return steps.map(({ state }, t) => ({
      i,
      t,
      key: JSON.stringify([group, state]),
      value: returns[t] as number,
    }));
  });
  const advantages = trajectories.map(({ steps }, i) =>
    steps.map(() => trajectoryWeight * (trajectory[i] as number)),
  );
  for (const indices of indicesByKey(places.map(({ key }) => key)).values()) {
    const values = indices.map((at) => places[at]!.value);
    const mean = meanOf(values);
    const divisor =
      scaling.scale === "none" ? 1 : deviationOf(values, scaling.convention) + scaling.epsilon;
    for (const at of indices) {
      const { i, t, value } = places[at]!;
      advantages[i]![t] = advantages[i]![t]! + (stepWeight * (value - mean)) / divisor;
    }
  }
  return advantages;
}

/** `gigpo`: the trajectory's advantage plus the turn's advantage among turns that start in the same state. */
export function stateGroups(options: StateGroupOptions = { scale: "std" }): GroupPart {
  return advantagePart("gigpo", "group", (groups) =>
    byTurns(groups, (trajectories) =>
      stateGroupAdvantages(
        trajectories.map((rewarded) => {
          const rewards = turnRewards(rewarded);
          return {
            group: "task",
            reward: rewarded.reward.total,
            steps: rewarded.trajectory.turns.map(({ state }, i) => ({
              state,
              reward: rewards[i] as number,
            })),
          };
        }),
        options,
      ),
    ),
  );
}
