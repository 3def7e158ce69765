/** Adds stored successes to a step as a separate group. */
import { option, definePart } from "../composition/part-options.ts";
import type { FilterPart, RewardedTrajectory } from "../composition/part.ts";
import { drawUniform } from "../draw.ts";
import { storedSuccesses, storeSuccess, type SuccessBuffer } from "../states/success-buffer.ts";
import { filterPart } from "./filter-part.ts";

/** Task name of the group of stored trajectories. */
export const STORED = "stored";

/**
 * Adds up to `count` stored successes, at most one per task, as a group of their own. Their token weights
 * follow the schedule of the component `imitation`.
 */
export function storedWins(count: number, successFrom?: number): FilterPart<"good-buffer"> {
  return definePart({ successFrom: option(successFrom, 1) }, ({ successFrom }) =>
    filterPart(
      "stored-wins",
      (groups, { state, step, random, rewardWeights }) => {
        let buffer = state["good-buffer"] as SuccessBuffer<RewardedTrajectory>;
        const newest = Object.keys(buffer.tasks).flatMap(
          (task) => storedSuccesses(buffer, task, step).at(-1)?.item ?? [],
        );
        const weight = rewardWeights?.["imitation"] ?? 1;
        const drawn = drawUniform(newest, Math.min(count, newest.length), random).map(
          (rewarded) => ({
            ...rewarded,
            tokenWeights: rewarded.tokenWeights.map((row) => Float64Array.from(row, () => weight)),
          }),
        );
        for (const { task, trajectories } of groups) {
          for (const item of trajectories) {
            // The verifier's reward: a bonus does not make a success.
            const { reward } = item.trajectory.verification;
            if (reward >= successFrom) buffer = storeSuccess(buffer, task, { item, reward, step });
          }
        }
        return {
          groups: drawn.length === 0 ? groups : [...groups, { task: STORED, trajectories: drawn }],
          dropped: new Map(),
          state: { "good-buffer": buffer },
        };
      },
      { needs: ["good-buffer"] },
    ),
  );
}
