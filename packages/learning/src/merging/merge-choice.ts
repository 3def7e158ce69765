/**
 * Chooses a merge by evaluation. A merge below its best parent is refused, because then the parent is the better
 * model.
 *
 * Source: the rule of this project; that merging small models may lose what both parents have, Lu et al.
 * 2024, "Fine-tuning large language models for domain adaptation", arXiv:2409.03444 (no emergence at
 * 1.7 B).
 */

/** Success rates of one evaluation. */
export type MergeSuccess = {
  readonly parents: readonly number[];
  /** Success of candidate merges with different methods or scales. */
  readonly merges: readonly number[];
};

/** Index of the best merge that is at least as good as the best parent; `null` if there is none. */
export function chosenMerge({ parents, merges }: MergeSuccess): number | null {
  const bar = Math.max(...parents);
  const best = Math.max(...merges);
  // This form of the comparison refuses NaN.
  return best >= bar ? merges.indexOf(best) : null;
}
