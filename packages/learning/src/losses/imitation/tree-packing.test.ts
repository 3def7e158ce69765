import type { TrainSequence } from "@waggle/protocol";
import { expect, test } from "vitest";
import { packTrees, rowsOfTrees, treesOfRows } from "./tree-packing.ts";

const ROWS: readonly TrainSequence[] = [
  { tokenIds: [1, 2, 3, 4] },
  { tokenIds: [1, 2, 3, 5, 6] },
  { tokenIds: [1, 2, 7] },
  { tokenIds: [8, 2] },
];

test("a shared prefix is stored once, and every row is a path of the tree", () => {
  const packed = packTrees(ROWS);
  expect(packed.trees).toEqual([
    { tokenIds: [1, 2, 3, 4, 5, 6, 7], parents: [-1, 0, 1, 2, 2, 4, 1] },
    { tokenIds: [8, 2], parents: [-1, 0] },
  ]);
  for (const [b, { tokenIds }] of ROWS.entries()) {
    const path = packed.places[b] ?? [];
    expect(path.map(({ tree, token }) => packed.trees[tree]?.tokenIds[token])).toEqual(tokenIds);
    for (const [t, { tree, token }] of path.entries()) {
      expect(packed.trees[tree]?.parents?.[token]).toBe(t === 0 ? -1 : path[t - 1]?.token);
    }
  }
});

test("values are read per tree token, and derivatives of rows add up there", () => {
  const packed = packTrees(ROWS);
  const values = packed.trees.map(({ tokenIds }) => tokenIds.map((id) => id / 10));
  expect(
    rowsOfTrees(packed, values).map((row) => Array.from(row, (value) => Math.round(10 * value))),
  ).toEqual(ROWS.map(({ tokenIds }) => tokenIds));
  const ones = ROWS.map(({ tokenIds }) => tokenIds.map(() => 1));
  expect(treesOfRows(packed, ones).map((row) => [...row])).toEqual([
    [3, 3, 2, 1, 1, 1, 1],
    [1, 1],
  ]);
});

test("a token sampled differently gets its own node, and the size of a tree is limited", () => {
  const hot = { tokenIds: [1, 2, 3], temperatures: [1, 1, 2] };
  expect(packTrees([{ tokenIds: [1, 2, 3] }, hot]).trees[0]?.tokenIds).toEqual([1, 2, 3, 3]);
  const kept = { tokenIds: [1, 2], keptTokenIds: [null, [2, 3]] };
  expect(packTrees([{ tokenIds: [1, 2] }, kept]).trees[0]?.tokenIds).toEqual([1, 2, 2]);
  expect(packTrees(ROWS, 8).trees).toHaveLength(3);
});
