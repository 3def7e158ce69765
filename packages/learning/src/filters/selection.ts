/**
 * Selection of items by index: which are kept, and why the others are not. A filter need not know the type of
 * its items.
 */
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import type { FilterPart } from "../composition/part.ts";
import { filterPart, keepTrajectories } from "./filter-part.ts";
import type { Selection } from "./selected.ts";

/** Keeps items without a reason against them. */
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

/** Keeps these indexes, with one reason for all others. */
export function selectIndices(count: number, indices: Iterable<number>, reason: string): Selection {
  const wanted = new Set(indices);
  return selectBy(
    Array.from({ length: count }, (_, i) => i),
    (i) => (wanted.has(i) ? null : reason),
  );
}

/**
 * Keeps only rollouts of one kind and merges them into one group, because other kinds are no baseline for
 * them and one task may have too few.
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

/** `corrected`: keeps only trajectories with the text of a visitor's correction. */
export function corrected(): FilterPart {
  return filterPart("corrected", (groups) =>
    keepTrajectories(groups, (all) =>
      selectBy(all, ({ trajectory: { verification } }) =>
        typeof verification.parts["correction"] === "string" ? null : "no-correction",
      ),
    ),
  );
}
