/**
 * `clean`: schema, quality and duplicates. Duplicates by overlap of word runs, so that a copy with a
 * changed name is one too.
 *
 * Source: Broder 1997 (resemblance of documents by shingles); ADP, DR-Venus (cleaning of traces).
 */
import { toolErrors } from "../composition/judged-trajectory.ts";
import { option, definePart } from "../composition/part-options.ts";
import type { FilterPart } from "../composition/part.ts";
import { filterPart, keepTrajectories } from "./filter-part.ts";
import { selectBy } from "./selection.ts";
import type { Selection } from "./selected.ts";

export type CleanOptions<T> = {
  /** A reason against the item by its form, `null` where it is well-formed. */
  readonly faultOf: (item: T) => string | null;
  /** Text that is compared. */
  readonly textOf: (item: T) => string;
  /** Share of common word runs from which two are the same, in (0, 1]. Default 0.8. */
  readonly sameFrom?: number;
  /** Words of a run. Default 3. */
  readonly run?: number;
};

/** Keeps well-formed items, the first of each set of duplicates. Quadratic in what is kept. */
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
  // A text shorter than a run is compared whole.
  return runs.size === 0 ? new Set([words.join(" ")]) : runs;
}

/** Shared runs over all runs, in [0, 1]. */
function resemblance(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((run) => b.has(run)).length;
  return shared / (a.size + b.size - shared);
}

/** `clean`: no unreadable turn, no failed call, no near copy of another; by default no copy. */
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
