/**
 * `tree-pack`: rows with a common prefix become one tree that stores the prefix once. Engine outputs are read
 * from the tree for every row, and derivatives of rows add up at shared tokens. The numbers equal those of
 * single rows, with fewer tokens computed. Not a loss.
 *
 * Source: KAT-Coder (tree-structured training of branches that share prefixes).
 */
import type { TrainSequence } from "@waggle/protocol";
import type { LossPart } from "../../composition/part.ts";
import type { StateName } from "../../composition/state.ts";

/** The tree and the token that hold a row's token. */
type TreePlace = { readonly tree: number; readonly token: number };

/** Trees as training sequences, and where each token of each row is in them. */
export type PackedTrees = {
  readonly trees: readonly TrainSequence[];
  /** `[B][T]` */
  readonly places: readonly (readonly TreePlace[])[];
};

type Tree = {
  readonly tokenIds: number[];
  readonly parents: number[];
  readonly temperatures: number[];
  readonly keptTokenIds: (readonly number[] | null)[];
  /** Index of a child by its parent and the properties that tell tokens apart. */
  readonly children: Map<string, number>;
};

/** @param mostTokens - limit of a tree with several rows; a longer row gets a tree of its own. */
export function packTrees(sequences: readonly TrainSequence[], mostTokens = 2048): PackedTrees {
  const trees: Tree[] = [];
  const places = sequences.map((sequence): readonly TreePlace[] => {
    const at = trees.findIndex(
      (tree) =>
        tree.tokenIds.length + sequence.tokenIds.length <= mostTokens && begins(tree, sequence),
    );
    const index = at < 0 ? trees.push(emptyTree()) - 1 : at;
    const tree = trees[index] as Tree;
    return grow(tree, sequence).map((token) => ({ tree: index, token }));
  });
  return {
    trees: trees.map(({ tokenIds, parents, temperatures, keptTokenIds }) => ({
      tokenIds,
      parents,
      ...(temperatures.every((value) => value === 1) ? {} : { temperatures }),
      ...(keptTokenIds.every((kept) => kept === null) ? {} : { keptTokenIds }),
    })),
    places,
  };
}

function emptyTree(): Tree {
  return { tokenIds: [], parents: [], temperatures: [], keptTokenIds: [], children: new Map() };
}

function begins(tree: Tree, sequence: TrainSequence): boolean {
  return tree.children.has(keyOf(-1, sequence, 0));
}

/** Adds the sequence to the tree; returns the `[T]` indexes of its tokens. */
function grow(tree: Tree, sequence: TrainSequence): number[] {
  let parent = -1;
  return sequence.tokenIds.map((tokenId, t) => {
    const key = keyOf(parent, sequence, t);
    const known = tree.children.get(key);
    if (known === undefined) {
      tree.children.set(key, tree.tokenIds.length);
      tree.tokenIds.push(tokenId);
      tree.parents.push(parent);
      tree.temperatures.push(temperatureOf(sequence, t));
      tree.keptTokenIds.push(sequence.keptTokenIds?.[t] ?? null);
    }
    parent = known ?? tree.tokenIds.length - 1;
    return parent;
  });
}

function keyOf(parent: number, sequence: TrainSequence, t: number): string {
  const kept = sequence.keptTokenIds?.[t]?.join(",") ?? "";
  return `${parent}/${sequence.tokenIds[t]}/${temperatureOf(sequence, t)}/${kept}`;
}

function temperatureOf({ temperatures = 1 }: TrainSequence, t: number): number {
  return typeof temperatures === "number" ? temperatures : (temperatures[t] ?? 1);
}

/** `[B][T]` rows, read from `[trees][tokens]`. */
export function rowsOfTrees(
  { places }: PackedTrees,
  values: readonly ArrayLike<number>[],
): Float32Array[] {
  return places.map((row) =>
    Float32Array.from(row, ({ tree, token }) => values[tree]?.[token] ?? 0),
  );
}

/** `[trees][tokens]` sums of the `[B][T]` rows at each place. */
export function treesOfRows(
  { trees, places }: PackedTrees,
  rows: readonly ArrayLike<number>[],
): Float32Array[] {
  const sums = trees.map(({ tokenIds }) => new Float32Array(tokenIds.length));
  for (const [b, row] of places.entries()) {
    for (const [t, { tree, token }] of row.entries()) {
      const sum = sums[tree] as Float32Array;
      sum[token] = (sum[token] ?? 0) + (rows[b]?.[t] ?? 0);
    }
  }
  return sums;
}

/** `tree-pack`: `inner`, with its rows packed as trees. */
export function treePacked<N extends StateName>(inner: LossPart<N>): LossPart<N> {
  return { ...inner, part: "tree-pack", around: [inner], packs: true };
}
