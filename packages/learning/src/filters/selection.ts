/**
 * What a filter says: which of the things it was shown are learned from, and why the others are not.
 * By index, so that a filter knows nothing of what it selects.
 */
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import type { FilterPart } from "../composition/part.ts";
import { filterPart, keepTrajectories } from "./filter-part.ts";
import type { Selection } from "./selected.ts";

/** Keeps what has no reason against it. */
export function selectBy<T>(
  items: readonly T[],
  reasonAgainst: (item: T, index: number) => string | null,
): Selection {
  const kept: number[] = [];
  const dropped = new Map<number, string>();
  for (const [i, item] of items.entries()) {
    const reason = reasonAgainst(item, i);
    if (reason === null) kept.push(i);
    else dropped.set(i, reason);
  }
  return { kept, dropped };
}

/** Keeps these indices; one reason for all others. */
export function selectIndices(count: number, indices: Iterable<number>, reason: string): Selection {
  const wanted = new Set(indices);
  return selectBy(
    Array.from({ length: count }, (_, i) => i),
    (i) => (wanted.has(i) ? null : reason),
  );
}

/**
 * Rollouts of a kind alone, as one group: the others are no measure of them, and of one task there may be
 * too few.
 */
export function rolloutsThat(
  isWanted: (trajectory: JudgedTrajectory) => boolean,
  kind: string,
): FilterPart {
  return filterPart("attempts-that", (groups) => {
    const wanted = keepTrajectories(groups, (all) =>
      selectBy(all, ({ trajectory }) => (isWanted(trajectory) ? null : `not-${kind}`)),
    );
    const trajectories = wanted.groups.flatMap((group) => group.trajectories);
    return { ...wanted, groups: trajectories.length === 0 ? [] : [{ task: kind, trajectories }] };
  });
}
