/**
 * Groups sequences with a common prefix into trees where that is cheaper than reading the prefix once
 * per sequence. Trajectories of one task share its prompt; all tasks may share a system prompt.
 */
import { PackedTree } from "./packed-tree.ts";
import type { ReadSequence } from "./packed-tree.ts";
import type { RowCost } from "./row-arrangement.ts";

/** @param mostTokens limit on the tokens of a tree with several sequences. */
export function shareBeginnings(
  reads: readonly ReadSequence[],
  mostTokens: number,
  cost: RowCost,
): PackedTree[] {
  const trees: PackedTree[] = [];
  const isCheaper = (tree: PackedTree, read: ReadSequence): boolean => {
    const size = tree.size + tree.growth(read);
    const alone = new PackedTree().growth(read);
    return size <= mostTokens && cost(size) < cost(tree.size) + cost(alone);
  };
  for (const read of reads.toSorted(byTokens)) {
    let tree = trees.at(-1);
    if (!tree?.sharesBeginning(read) || !isCheaper(tree, read)) {
      tree = new PackedTree();
      trees.push(tree);
    }
    tree.add(read);
  }
  return trees;
}

/** Lexicographic order, which puts sequences with a common prefix next to each other. */
function byTokens({ sequence: a }: ReadSequence, { sequence: b }: ReadSequence): number {
  const length = Math.min(a.tokenIds.length, b.tokenIds.length);
  for (let token = 0; token < length; token++) {
    const gap = (a.tokenIds[token] as number) - (b.tokenIds[token] as number);
    if (gap !== 0) return gap;
  }
  return a.tokenIds.length - b.tokenIds.length;
}
