/** Parts that learn from earlier trajectories: stored successes, and what was left over or is rehearsed. */
import type { FilterPart, RewardedTrajectory, RewardedGroup } from "../composition/part.ts";
import { kept, type StatePart } from "../composition/state.ts";
import { sampledTokens, toolCalls } from "../composition/judged-trajectory.ts";
import { isCompensationStep, recomposed } from "../filters/recompose.ts";
import { putRest, rehearse, restBuffer, type RestBuffer } from "../states/rest-buffer.ts";
import {
  storeSuccess,
  type SuccessBuffer,
  successBuffer,
  withStoredSuccess,
} from "../states/success-buffer.ts";
import { filterPart } from "./filter-part.ts";

/** Stored successes by task. */
export function goodBuffer(
  options: Parameters<typeof successBuffer>[0] = {},
): StatePart<"good-buffer"> {
  return kept("good-buffer", () => successBuffer<RewardedTrajectory>(options));
}

/** What is kept for later, the newest `capacity` trajectories or groups. */
export function leftovers(capacity = 256): StatePart<"rest-buffer"> {
  return kept("rest-buffer", () => restBuffer(capacity));
}

type StoredTrajectory = { readonly task: string; readonly scored: RewardedTrajectory };

/** A group without a success gets a stored one of its task in place of its last failure. */
export function storedSuccess(successFrom = 1): FilterPart<"good-buffer"> {
  return filterPart(
    "stored-success",
    (groups, { state, step, random }) => {
      let buffer = state["good-buffer"] as SuccessBuffer<RewardedTrajectory>;
      const joined = groups.map(({ task, trajectories }): RewardedGroup => {
        const rewards = trajectories.map(({ score }) => score.reward);
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
          const { reward } = item.score;
          if (reward >= successFrom) buffer = storeSuccess(buffer, task, { item, reward, step });
        }
      }
      return { groups: joined, dropped: new Map(), state: { "good-buffer": buffer } };
    },
    { needs: ["good-buffer"] },
  );
}

/**
 * `recompose`: the loss of short successes and long failures; the rest is left out. Groups stay whole, so
 * that baselines are those of all that was rolled out.
 */
export function recompose(share = 0.5): FilterPart {
  return filterPart("recompose", (groups) => {
    const first = priorityOf(groups, share);
    const left = groups.flatMap(({ trajectories }) =>
      trajectories.flatMap(({ trajectory }) => (first.has(trajectory.id) ? [] : [trajectory.id])),
    );
    return {
      groups: groups.map((group) => withLossOf(group, (id) => first.has(id))),
      dropped: new Map(left.map((id) => [id, "left-for-later"])),
    };
  });
}

/** Ids of short successes and long failures. */
function priorityOf(groups: readonly RewardedGroup[], share: number): ReadonlySet<string> {
  const all = groups.flatMap(({ trajectories }) => trajectories);
  const { priority } = recomposed(
    all.map(({ trajectory }) => trajectory.verification.success),
    all.map(({ trajectory }) => toolCalls(trajectory) + sampledTokens(trajectory) / 1000),
    share,
  );
  return new Set(priority.flatMap((i) => all[i]?.trajectory.id ?? []));
}

/**
 * `recompose` with a memory: the loss of short successes and long failures now, the rest kept; in some
 * later steps, up to a share `most` of them at the end, what was kept is learned from instead.
 */
export function recomposeLater(share = 0.5, most = 0.5): FilterPart<"rest-buffer"> {
  return filterPart(
    "recompose",
    (groups, { state, step, steps, random }) => {
      const buffer = state["rest-buffer"] as RestBuffer<RewardedGroup>;
      const isLater = buffer.items.length > 0 && isCompensationStep(step / steps, most, random);
      if (isLater) {
        const learned = buffer.items.map(({ item }) => item);
        const kept = putRest(restBuffer<RewardedGroup>(buffer.capacity), groups, step);
        return { groups: learned, dropped: new Map(), state: { "rest-buffer": kept } };
      }
      const first = priorityOf(groups, share);
      const rest = groups.map((group) => withLossOf(group, (id) => !first.has(id)));
      return {
        groups: groups.map((group) => withLossOf(group, (id) => first.has(id))),
        dropped: new Map(),
        state: { "rest-buffer": putRest(buffer, rest, step) },
      };
    },
    { needs: ["rest-buffer"] },
  );
}

/** The group with the loss of some trajectories only. */
function withLossOf(
  { task, trajectories }: RewardedGroup,
  counts: (id: string) => boolean,
): RewardedGroup {
  return {
    task,
    trajectories: trajectories.map((scored) =>
      counts(scored.trajectory.id)
        ? scored
        : { ...scored, lossMask: scored.lossMask.map((row) => row.map(() => false)) },
    ),
  };
}

/** `count` old trajectories beside each step's own; every step's are kept. */
export function rehearsed(count: number): FilterPart<"rest-buffer"> {
  return filterPart(
    "rehearsal",
    (groups, { state, step, random }) => {
      const buffer = state["rest-buffer"] as RestBuffer<StoredTrajectory>;
      const own = groups.flatMap(({ task, trajectories }) =>
        trajectories.map((scored): StoredTrajectory => ({ task, scored })),
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
  for (const { task, scored } of entries) tasks.set(task, [...(tasks.get(task) ?? []), scored]);
  return [...tasks].map(([task, trajectories]) => ({ task, trajectories }));
}
