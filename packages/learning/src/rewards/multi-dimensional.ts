/**
 * `multi-dim`: a reward that stays a vector until it is weighted; weights may differ by user or step.
 *
 * Source: AI-SearchPlanner (utility and cost), "Learning to Generate Research Idea with Dynamic Control".
 */
import type { RewardPart, Reward } from "../composition/part.ts";
import type { StateName } from "../composition/state.ts";
import { requireFiniteRewards, requireSameLength } from "../statistics.ts";

/** Σ weight · component. */
export function scalarized(vector: readonly number[], weights: readonly number[]): number {
  requireSameLength("weights", weights.length, "vector", vector.length);
  requireFiniteRewards(vector);
  return vector.reduce((sum, value, i) => sum + value * weights[i]!, 0);
}

/** One dimension of the vector: a reward part and how to read it. */
type Dimension<N extends StateName> = {
  readonly reward: RewardPart<N>;
  readonly weight: number;
  /** Default: the total of the reward. */
  readonly of?: (reward: Reward) => number;
};

/** `multi-dim`: several rewards, stored as components, and their sum with weights from the settings. */
export function multiDimensional<N extends StateName = never>(dimensions: {
  readonly [name: string]: Dimension<N>;
}): RewardPart<N> {
  const entries = Object.entries(dimensions);
  return {
    slot: "reward",
    part: "multi-dim",
    needs: entries.flatMap(([, { reward }]) => reward.needs),
    around: entries.map(([, { reward }]) => reward),
    rewards: async (group, context) => {
      const columns = await Promise.all(
        entries.map(async ([, { reward, of = (one: Reward): number => one.total }]) =>
          (await reward.rewards(group, context)).map(of),
        ),
      );
      return group.trajectories.map((_, i) => {
        const vector = columns.map((column) => column[i] as number);
        return {
          total: scalarized(
            vector,
            entries.map(([, { weight }]) => weight),
          ),
          components: Object.fromEntries(entries.map(([name], d) => [name, vector[d] as number])),
        };
      });
    },
  };
}
