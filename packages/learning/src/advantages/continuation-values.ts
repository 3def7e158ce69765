/**
 * `mc`: the value of a step is the mean outcome of N continuations from a snapshot of it. It trains no
 * critic; the cost is environment steps.
 *
 * Source: Xiong et al. 2024, "Watch Every Step!" (IPR), arXiv:2406.11176; Kazemnejad et al. 2024, "VinePPO",
 * arXiv:2410.01679 (advantage from values before and after a step).
 */
import { WaggleError } from "@waggle/protocol";
import { fixed, definePart } from "../composition/part-options.ts";
import type { AdvantagePart, RewardedTrajectory } from "../composition/part.ts";
import type { StateName } from "../composition/state.ts";
import { withRollouts } from "../rollouts/tree-search.ts";
import type { StoredTrees } from "../states/search-tree.ts";
import { meanOf, requireFiniteRewards, requireSameLength } from "../statistics.ts";
import { advantagePart, byTurns } from "./credit.ts";

/**
 * `[snapshots]` mean outcome of each snapshot's continuations.
 *
 * @throws WaggleError `INVALID_ARGUMENT` for a snapshot without a continuation.
 */
export function continuationValues(outcomes: readonly (readonly number[])[]): number[] {
  return outcomes.map((row, t) => {
    if (row.length === 0) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `step ${t} has a snapshot without continuations; roll some out, or drop the step`,
      );
    }
    requireFiniteRewards(row);
    return meanOf(row);
  });
}

/**
 * `[steps]` r_t + γ · V(s_{t+1}) − V(s_t). After the last step the outcome is known and V is 0.
 *
 * @param rewards - `[steps]`, with the outcome on the last.
 * @param values - `[steps]` value of the state before each step.
 */
export function continuationAdvantages(
  rewards: readonly number[],
  values: readonly number[],
  discount: number = 1,
): number[] {
  requireSameLength("values", values.length, "rewards", rewards.length);
  return rewards.map((reward, t) => reward + discount * (values[t + 1] ?? 0) - values[t]!);
}

/**
 * `mc`: V after a turn minus V before it, where V is the mean reward of the group's rollouts that passed
 * through a state. In a rollout without branches, only the first turn and the end have different values.
 */
export function monteCarlo(): AdvantagePart<never, "group"> {
  return advantagePart("mc", "group", (groups) => byTurns(groups, byContinuations));
}

/** `mc` that also keeps the rollouts as the tree from which the search continues. */
export function monteCarloTree(): AdvantagePart<"tree-store", "group"> {
  return advantagePart(
    "mc",
    "group",
    (groups, { state }) => ({
      ...byTurns(groups, byContinuations),
      state: { "tree-store": withRollouts(state["tree-store"] as StoredTrees, groups) },
    }),
    { needs: ["tree-store"] },
  );
}

/** The advantages of `inner` plus `weight` times the continuation advantages of each turn. */
export function calibrated<N extends StateName>(
  inner: AdvantagePart<N, "group">,
  weight: number,
): AdvantagePart<N, "group"> {
  return definePart(
    { weight: fixed(weight) },
    (_, [estimator]) => withContinuations(estimator, weight),
    [inner],
  );
}

function withContinuations<N extends StateName>(
  inner: AdvantagePart<N, "group">,
  weight: number,
): AdvantagePart<N, "group"> {
  const calibrating = monteCarlo();
  return {
    ...calibrating,
    needs: inner.needs,
    around: [inner],
    estimate: (groups, context) => {
      const estimated = inner.estimate(groups, context);
      const { advantages } = calibrating.estimate(groups, context);
      return {
        ...estimated,
        advantages: new Map(
          Array.from(estimated.advantages, ([id, rows]) => [
            id,
            rows.map((row, sample) =>
              Float64Array.from(
                row,
                (own, t) => own + weight * (advantages.get(id)?.[sample]?.[t] ?? 0),
              ),
            ),
          ]),
        ),
      };
    },
  };
}

function byContinuations(trajectories: readonly RewardedTrajectory[]): number[][] {
  const through = new Map<string, number[]>();
  for (const { trajectory, reward } of trajectories) {
    for (const { state } of trajectory.turns) {
      through.set(state, [...(through.get(state) ?? []), reward.total]);
    }
  }
  const values = continuationValues([...through.values()]);
  const valueOf = new Map([...through.keys()].map((state, i) => [state, values[i] as number]));
  return trajectories.map(({ trajectory: { turns }, reward }) =>
    continuationAdvantages(
      turns.map((_, i) => (i === turns.length - 1 ? reward.total : 0)),
      turns.map(({ state }) => valueOf.get(state) as number),
    ),
  );
}
