/** Holds back groups with unfinished rollouts until a later step. */
import type { Trajectory } from "@waggle/protocol";
import type { JudgedGroup } from "../composition/judged-trajectory.ts";
import type { FilterPart } from "../composition/part.ts";
import { filterPart } from "./filter-part.ts";

/** Whether a turn limit below `most` ended the rollout. */
export function isUnfinished({ stopReason, turns }: Trajectory, most: number): boolean {
  return stopReason === "max-turns" && turns.length < most;
}

/** Holds a group back until all its rollouts have ended or reached `most` turns. */
export function finishedGroups(most: number): FilterPart<"rest-buffer"> {
  return filterPart(
    "finished",
    (groups) => {
      const isCut = ({ trajectories }: (typeof groups)[number]): boolean =>
        trajectories.some(({ trajectory: { record: trajectory } }) =>
          isUnfinished(trajectory, most),
        );
      const waiting = groups.filter(isCut);
      const ids = waiting.flatMap(({ trajectories }) =>
        trajectories.map(({ trajectory }) => trajectory.id),
      );
      return {
        groups: groups.filter((each) => !isCut(each)),
        dropped: new Map(ids.map((id) => [id, "unfinished"])),
        state: {
          "rest-buffer": waiting.map(({ task, trajectories }): JudgedGroup => ({
            task,
            trajectories: trajectories.map(({ trajectory }) => trajectory),
          })),
        },
      };
    },
    { needs: ["rest-buffer"] },
  );
}
