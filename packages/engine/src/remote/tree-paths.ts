/**
 * Splits a tree of tokens into plain sequences, one per leaf, for servers that do not support
 * trees.
 */
import type { TrainSequence } from "@waggle/protocol";
import { parentsOf } from "../batch/sequence-tree.ts";

/** The path from a root to one leaf. */
export type TreePath = {
  /** Tokens of the sequence from the root to the leaf. */
  readonly tokens: readonly number[];
  /** Number of leading tokens that an earlier path has too; they are trained there. */
  readonly shared: number;
};

/** Paths in the order of their leaves; a plain sequence is a single path. */
export function treePaths(sequence: TrainSequence): TreePath[] {
  const parents = parentsOf(sequence);
  const inner = new Set(parents);
  const known = new Set<number>();
  const leaves = [...parents.keys()].filter((token) => !inner.has(token));
  return leaves.map((leaf) => {
    const tokens: number[] = [];
    for (let token = leaf; token >= 0; token = parents[token] as number) tokens.push(token);
    tokens.reverse();
    const shared = tokens.filter((token) => known.has(token)).length;
    for (const token of tokens) known.add(token);
    return { tokens, shared };
  });
}
