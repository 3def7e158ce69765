/**
 * Which merge is taken, if any: every one passes an evaluation, and one below its best parent is
 * refused, because then the parent is the better model.
 *
 * Source: the rule of this project; that merging small models may lose what both parents have, Lu et al.
 * 2024, "Fine-tuning large language models for domain adaptation", arXiv:2409.03444 (no emergence at
 * 1.7 B).
 */

/** Scores of one evaluation, larger is better. */
export type MergeSuccess = {
  readonly parents: readonly number[];
  /** Of candidates: other methods, other scales. */
  readonly merges: readonly number[];
};

/** Index of the best merge that is no worse than the best parent; `null` where none is. */
export function chosenMerge({ parents, merges }: MergeSuccess): number | null {
  const bar = Math.max(...parents);
  const best = Math.max(...merges);
  // Written so that a NaN is refused.
  return best >= bar ? merges.indexOf(best) : null;
}
