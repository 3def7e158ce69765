/**
 * `clean`: removes malformed items and duplicates. Duplicates are found by shared word runs, which also
 * catches copies with a changed name.
 *
 * Source: Broder 1997 (resemblance of documents by shingles); ADP, DR-Venus (cleaning of traces).
 */
import { toolErrors } from "../composition/judged-trajectory.ts";
import { option, definePart } from "../composition/part-options.ts";
import type { FilterPart } from "../composition/part.ts";
import { filterPart, keepTrajectories } from "./filter-part.ts";
import { selectBy } from "./selection.ts";
import type { Selection } from "./selected.ts";

/** How items are checked and compared. */
export type CleanOptions<T> = {
  /** The reason why an item is malformed; `null` if it is well-formed. */
  readonly faultOf: (item: T) => string | null;
  /** Text to compare. */
  readonly textOf: (item: T) => string;
  /** Share of common word runs at which two items are duplicates, in (0, 1]. Default 0.8. */
  readonly sameFrom?: number;
  /** Words per run. Default 3. */
  readonly run?: number;
};

/** Keeps well-formed items and the first of each set of duplicates. Quadratic in the number of kept items. */
export function cleaned<T>(
  items: readonly T[],
  { faultOf, textOf, sameFrom = 0.8, run = 3 }: CleanOptions<T>,
): Selection {
  const seen: Set<string>[] = [];
  return selectBy(items, (item) => {
    const fault = faultOf(item);
    if (fault !== null) return fault;
    const runs = wordRuns(textOf(item), run);
    if (seen.some((other) => resemblance(runs, other) >= sameFrom)) return "duplicate";
    seen.push(runs);
    return null;
  });
}

function wordRuns(text: string, size: number): Set<string> {
  const words = text.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  const runs = new Set<string>();
  for (let i = 0; i + size <= words.length; i += 1) runs.add(words.slice(i, i + size).join(" "));
  // A text shorter than a run is one run.
  return runs.size === 0 ? new Set([words.join(" ")]) : runs;
}

/** Shared runs divided by all runs, in [0, 1]. */
function resemblance(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((run) => b.has(run)).length;
  return shared / (a.size + b.size - shared);
}

/**
 * `clean`: drops trajectories with an unreadable turn or a failed call, and near copies; by default only
 * exact copies.
 */
export function clean(sameFrom?: number): FilterPart {
  return definePart({ sameFrom: option(sameFrom, 1) }, (given) =>
    filterPart("clean", (groups) =>
      keepTrajectories(groups, (all) =>
        cleaned(all, {
          faultOf: ({ trajectory }) => (toolErrors(trajectory) > 0 ? "tool-error" : null),
          textOf: ({ trajectory }) =>
            trajectory.samples.flatMap(({ sequence }) => sequence.tokenIds).join(" "),
          ...given,
        }),
      ),
    ),
  );
}
