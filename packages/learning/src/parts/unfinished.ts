/**
 * `partial`: rollouts are cut after some turns and go on in a later step, under the policy as it is
 * then. Turns keep the numbers of the version that sampled them.
 */
import type { Trajectory } from "@waggle/protocol";
import type { JudgedGroup } from "../composition/judged-trajectory.ts";
import type { FilterPart, RolloutPart } from "../composition/part.ts";
import { kept, type StatePart } from "../composition/state.ts";
import { filterPart } from "./filter-part.ts";
import { group } from "./rollouts.ts";

/** Groups of which some rollouts are not at their end. */
export const unfinishedGroups: StatePart<"rest-buffer"> = kept("rest-buffer", () => []);

/** True where a limit of turns ended it, and not the last one. */
export function isUnfinished({ stopReason, turns }: Trajectory, most: number): boolean {
  return stopReason === "max-turns" && turns.length < most;
}

/** `size` trajectories from the same start, at most `turns` turns of each in one step, `most` in all. */
export function partialRollouts(
  turns: number,
  most: number,
  size = 8,
): RolloutPart<"rest-buffer", "group"> {
  return {
    ...{ slot: "rollout", part: "partial", needs: ["rest-buffer"], start: "group" },
    around: [group(size)],
    plan: ({ state }) => ({
      ...{ kind: "partial", size, turns, most },
      unfinished: state["rest-buffer"] as readonly JudgedGroup[],
    }),
  };
}

/** Groups wait until all their rollouts have ended or had `most` turns. */
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
