/** A tree of tokens as plain sequences, for servers that know no other: one path for each leaf. */
import type { TrainSequence } from "@waggle/protocol";
import { parentsOf } from "../batch/sequence-tree.ts";

export type TreePath = {
  /** Tokens of the sequence from a first one to a leaf. */
  readonly tokens: readonly number[];
  /** How many of them, from the first on, an earlier path has: those are trained there. */
  readonly shared: number;
};

/** In the order of their leaves; a plain sequence is one path. */
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
