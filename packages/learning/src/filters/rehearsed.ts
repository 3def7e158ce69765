/** Adds stored trajectories to a step to rehearse old tasks. */
import type { FilterPart, RewardedGroup, RewardedTrajectory } from "../composition/part.ts";
import { putRest, rehearse, type RestBuffer } from "../states/rest-buffer.ts";
import { filterPart } from "./filter-part.ts";

type StoredTrajectory = { readonly task: string; readonly rewarded: RewardedTrajectory };

/** Adds `count` old trajectories to each step and stores those of the step. */
export function rehearsed(count: number): FilterPart<"rest-buffer"> {
  return filterPart(
    "rehearsal",
    (groups, { state, step, random }) => {
      const buffer = state["rest-buffer"] as RestBuffer<StoredTrajectory>;
      const own = groups.flatMap(({ task, trajectories }) =>
        trajectories.map((rewarded): StoredTrajectory => ({ task, rewarded })),
      );
      const old = rehearse(buffer, Math.min(count, buffer.items.length), random);
      return {
        groups: [...groups, ...byTask(old)],
        dropped: new Map(),
        state: { "rest-buffer": putRest(buffer, own, step) },
      };
    },
    { needs: ["rest-buffer"] },
  );
}

function byTask(entries: readonly StoredTrajectory[]): RewardedGroup[] {
  const tasks = new Map<string, RewardedTrajectory[]>();
  for (const { task, rewarded } of entries) tasks.set(task, [...(tasks.get(task) ?? []), rewarded]);
  return [...tasks].map(([task, trajectories]) => ({ task, trajectories }));
}
