/**
 * `long-tail`: larger weights for long rollouts.
 *
 * Source: DR-Venus (weight for long-horizon runs).
 */
import { option, definePart } from "../composition/part-options.ts";
import type { FilterPart } from "../composition/part.ts";
import { meanOf } from "../statistics.ts";
import { changeTrajectories, filterPart } from "./filter-part.ts";

/** `[N]` (length / mean length)^power, scaled to a mean of 1; power 0 gives equal weights. */
export function horizonWeights(lengths: readonly number[], power: number): number[] {
  const raw = lengths.map((length) => length ** power);
  const mean = meanOf(raw);
  return raw.map((weight) => (mean === 0 ? 1 : weight / mean));
}

/** `long-tail`: gives long trajectories a larger weight. */
export function longTail(power?: number): FilterPart {
  return definePart({ longTailPower: option(power, 0.5) }, ({ longTailPower: power }) =>
    filterPart("long-tail", (groups) => {
      const all = groups.flatMap(({ trajectories }) => trajectories);
      const weights = horizonWeights(
        all.map(({ trajectory }) => Math.max(1, trajectory.turns.length)),
        power,
      );
      return changeTrajectories(groups, (rewarded) => {
        const weight = weights[all.indexOf(rewarded)] ?? 1;
        return {
          ...rewarded,
          tokenWeights: rewarded.tokenWeights.map((row) =>
            Float64Array.from(row, (w) => w * weight),
          ),
        };
      });
    }),
  );
}
