/**
 * `curated`: a small set within a budget, by quality and by what it covers that the set does not have
 * yet. Greedy: at least 1 − 1/e of the best coverage.
 *
 * Source: LIMI (tens of samples); greedy maximization of submodular coverage, Nemhauser et al. 1978.
 */
import { requireInside } from "../statistics.ts";
import { type Selection, selectIndices } from "./selection.ts";

export type Candidate = {
  /** In [0, 1]. */
  readonly quality: number;
  /** What it shows: skills, tools, environments. */
  readonly tags: readonly string[];
  /** What it takes of the budget, > 0. Default 1. */
  readonly cost?: number;
};

/** Candidates that fit the budget, chosen by (new tags + weight · quality)/cost, first of equals. */
export function curatedWithin(
  candidates: readonly Candidate[],
  budget: number,
  qualityWeight: number = 1,
): Selection {
  for (const { quality } of candidates) requireInside("quality", quality, 0, 1);
  const covered = new Set<string>();
  const chosen = new Set<number>();
  let left = budget;
  for (;;) {
    let best = -1;
    let bestGain = 0;
    for (const [i, { quality, tags, cost = 1 }] of candidates.entries()) {
      if (chosen.has(i) || cost > left) continue;
      const fresh = new Set(tags.filter((tag) => !covered.has(tag))).size;
      const gain = (fresh + qualityWeight * quality) / cost;
      if (gain > bestGain) [best, bestGain] = [i, gain];
    }
    if (best < 0) return selectIndices(candidates.length, chosen, "not-within-budget");
    chosen.add(best);
    left -= candidates[best]!.cost ?? 1;
    for (const tag of candidates[best]!.tags) covered.add(tag);
  }
}
