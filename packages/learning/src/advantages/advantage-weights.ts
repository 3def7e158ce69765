/**
 * `weighted`: weights of a regression on actions, larger for actions that were better than expected. Not a
 * policy gradient: every weight is positive, so no action is pushed down.
 *
 * Source: Peng et al. 2019, "Advantage-Weighted Regression", arXiv:1910.00177; reward weighting as in Qu et
 * al. 2024, "Recursive Introspection" (RISE), arXiv:2407.18219.
 */
import { option, definePart } from "../composition/part-options.ts";
import type { AdvantagePart } from "../composition/part.ts";
import { requireFiniteRewards, requireInside, sumOf } from "../statistics.ts";

/**
 * `[N]` exp(A / temperature), at most `cap`, scaled to a mean of 1.
 *
 * @param temperature - > 0, in units of the advantage; a small one concentrates the weight on the best.
 */
export function exponentialWeights(
  advantages: readonly number[],
  temperature: number,
  cap: number = 20,
): number[] {
  requireFiniteRewards(advantages);
  requireInside("temperature", temperature, Number.MIN_VALUE, Number.MAX_VALUE);
  const weights = advantages.map((advantage) => Math.min(Math.exp(advantage / temperature), cap));
  const scale = weights.length / sumOf(weights);
  return weights.map((weight) => weight * scale);
}

/**
 * `weighted`: each turn is weighted by exp((its reward − the mean) / temperature), scaled to a mean of 1 over
 * all turns. Default temperature 0.5.
 */
export function rewardWeighted(temperature?: number): AdvantagePart<never, "single"> {
  return definePart({ temperature: option(temperature, 0.5) }, (given) =>
    weightsBy(given.temperature),
  );
}

function weightsBy(temperature: number): AdvantagePart<never, "single"> {
  return {
    slot: "advantage",
    part: "weighted",
    needs: [],
    start: "single",
    estimate: (groups) => {
      const all = groups.flatMap(({ trajectories }) =>
        trajectories.map(({ trajectory }) => trajectory),
      );
      const rewards = all.flatMap(({ turns }) => turns.map(({ reward }) => reward ?? 0));
      const mean = rewards.reduce((sum, reward) => sum + reward, 0) / Math.max(1, rewards.length);
      const weights = exponentialWeights(
        rewards.map((reward) => reward - mean),
        temperature,
      );
      let turn = 0;
      const advantages = new Map(
        all.map(({ id, samples, turns }) => {
          const rows = samples.map(({ lossMask }) => new Float64Array(lossMask.length));
          for (const { sample, start, end } of turns) {
            rows[sample]?.fill(weights[turn] ?? 0, start, end);
            turn += 1;
          }
          return [id, rows] as const;
        }),
      );
      return { advantages };
    },
  };
}
