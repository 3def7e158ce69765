/**
 * `recompose` (RoRecomp): a priority batch of short successes and long failures, which teaches brevity. The
 * rest goes to a compensation buffer for later steps.
 *
 * Source: Li et al. 2025, "RoRecomp", arXiv:2509.25958.
 * Differs from it: the probability of a compensation step rises linearly with progress.
 */
import { option, definePart } from "../composition/part-options.ts";
import { sampledTokens, toolCalls } from "../composition/judged-trajectory.ts";
import type { FilterPart, RewardedGroup } from "../composition/part.ts";
import { putRest, type RestBuffer, restBuffer } from "../states/rest-buffer.ts";
import { requireInside, requireSameLength } from "../statistics.ts";
import { filterPart } from "./filter-part.ts";

/** How a batch is divided. */
export type Recomposition = {
  /** Indexes that are trained now. */
  readonly priority: readonly number[];
  /** Indexes for the compensation buffer. */
  readonly compensation: readonly number[];
};

/**
 * Divides a batch into priority and compensation.
 *
 * @param lengths - `[N]` tokens or tool calls.
 * @param share - of the successes (shortest) and of the failures (longest) that are priority, in (0, 1].
 */
export function recomposed(
  isCorrect: readonly boolean[],
  lengths: readonly number[],
  share: number,
): Recomposition {
  requireSameLength("lengths", lengths.length, "isCorrect", isCorrect.length);
  requireInside("share", share, Number.MIN_VALUE, 1);
  const byLength = lengths.map((_, i) => i).sort((a, b) => lengths[a]! - lengths[b]! || a - b);
  const shortest = byLength.filter((i) => isCorrect[i]);
  const longest = byLength.filter((i) => !isCorrect[i]).reverse();
  const first = (indices: readonly number[]): number[] =>
    indices.slice(0, Math.ceil(indices.length * share));
  const priority = new Set([...first(shortest), ...first(longest)]);
  const all = lengths.map((_, i) => i);
  return {
    priority: all.filter((i) => priority.has(i)),
    compensation: all.filter((i) => !priority.has(i)),
  };
}

/**
 * Whether this step trains on the compensation buffer instead. The probability rises with progress from 0 to
 * `most`, which restores the influence of plain success.
 */
export function isCompensationStep(progress: number, most: number, random: () => number): boolean {
  requireInside("progress", progress, 0, 1);
  return random() < most * progress;
}

/**
 * `recompose`: keeps the loss of short successes and long failures. Groups stay whole, so baselines include
 * all rollouts.
 */
export function recompose(share?: number): FilterPart {
  return definePart({ recomposeShare: option(share, 0.5) }, ({ recomposeShare: share }) =>
    filterPart("recompose", (groups) => {
      const first = priorityOf(groups, share);
      const left = groups.flatMap(({ trajectories }) =>
        trajectories.flatMap(({ trajectory }) => (first.has(trajectory.id) ? [] : [trajectory.id])),
      );
      return {
        groups: groups.map((group) => withLossOf(group, (id) => first.has(id))),
        dropped: new Map(left.map((id) => [id, "left-for-later"])),
      };
    }),
  );
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
 * `recompose` with a buffer: trains short successes and long failures and stores the rest. Some later steps,
 * up to a share of `most` at the end, train on the stored groups instead.
 */
export function recomposeLater(share?: number, most?: number): FilterPart<"rest-buffer"> {
  return definePart(
    { recomposeLaterShare: option(share, 0.5), recomposeLaterMost: option(most, 0.5) },
    ({ recomposeLaterShare: share, recomposeLaterMost: most }) =>
      filterPart(
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
      ),
  );
}

/** The group with the loss of some trajectories only. */
function withLossOf(
  { task, trajectories }: RewardedGroup,
  counts: (id: string) => boolean,
): RewardedGroup {
  return {
    task,
    trajectories: trajectories.map((rewarded) =>
      counts(rewarded.trajectory.id)
        ? rewarded
        : { ...rewarded, lossMask: rewarded.lossMask.map((row) => row.map(() => false)) },
    ),
  };
}
