/** Adds a stored success to a group in which all failed. */
import { option, definePart } from "../composition/part-options.ts";
import type { FilterPart, RewardedGroup, RewardedTrajectory } from "../composition/part.ts";
import { storeSuccess, type SuccessBuffer, withStoredSuccess } from "../states/success-buffer.ts";
import { filterPart } from "./filter-part.ts";

/** In a group without a success, replaces the last failure by a stored success of its task. */
export function storedSuccess(successFrom?: number): FilterPart<"good-buffer"> {
  return definePart({ successFrom: option(successFrom, 1) }, ({ successFrom }) =>
    filterPart(
      "stored-success",
      (groups, { state, step, random }) => {
        let buffer = state["good-buffer"] as SuccessBuffer<RewardedTrajectory>;
        const joined = groups.map(({ task, trajectories }): RewardedGroup => {
          const rewards = trajectories.map(({ reward }) => reward.total);
          return {
            task,
            trajectories: withStoredSuccess(
              buffer,
              task,
              trajectories,
              rewards,
              step,
              random,
              successFrom,
            ).items,
          };
        });
        for (const { task, trajectories } of groups) {
          for (const item of trajectories) {
            const { total: reward } = item.reward;
            if (reward >= successFrom) buffer = storeSuccess(buffer, task, { item, reward, step });
          }
        }
        return { groups: joined, dropped: new Map(), state: { "good-buffer": buffer } };
      },
      { needs: ["good-buffer"] },
    ),
  );
}
