import fc from "fast-check";
import { expect, test } from "vitest";
import { expectClose } from "../close.fixture.ts";
import { groupRelativeAdvantages } from "./group-advantages.ts";
import { oncePerTrajectory, segmentAdvantages } from "./trajectory-tree.ts";

const segments = [
  { id: "root", parent: null },
  { id: "left", parent: "root" },
  { id: "right", parent: "root" },
  { id: "l1", parent: "left" },
  { id: "l2", parent: "left" },
];

test("a prefix gets the mean of its descendants, a branch its own advantage", () => {
  const leaves = new Map([
    ["l1", 1],
    ["l2", 0],
    ["right", -1],
  ]);
  expect(Object.fromEntries(segmentAdvantages(segments, leaves))).toEqual({
    root: 0,
    left: 0.5,
    right: -1,
    l1: 1,
    l2: 0,
  });
});

test("a tree without branches gives each segment the trajectory's advantage", () => {
  const chain = ["a", "b", "c"].map((id, i, all) => ({ id, parent: all[i - 1] ?? null }));
  expect([...segmentAdvantages(chain, new Map([["c", 0.7]])).values()]).toEqual([0.7, 0.7, 0.7]);
});

test("a segment gets the mean over all leaves below it", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(), { minLength: 1, maxLength: 30 }), (draws) => {
      const tree = draws.map((draw, i) => ({
        id: `${i}`,
        parent: i === 0 ? null : `${draw % i}`,
      }));
      const inner = new Set(tree.map(({ parent }) => parent));
      const leaves = new Map(
        tree.filter(({ id }) => !inner.has(id)).map(({ id }) => [id, Number(id) * 0.5]),
      );
      const slow = new Map<string, number[]>();
      for (const [leaf, value] of leaves) {
        for (let at: string | null = leaf; at !== null;) {
          slow.set(at, [...(slow.get(at) ?? []), value]);
          at = tree[Number(at)]!.parent;
        }
      }
      for (const [id, value] of segmentAdvantages(tree, leaves)) {
        const values = slow.get(id)!;
        expect(value).toBeCloseTo(values.reduce((a, b) => a + b, 0) / values.length, 9);
      }
    }),
  );
});

test.each([
  ["a parent after its child", [{ id: "b", parent: "a" }], new Map([["b", 1]])],
  ["a segment without a leaf", segments, new Map([["l1", 1]])],
])("%s is refused", (_, tree, leaves) => {
  expect(() => segmentAdvantages(tree, leaves)).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT" }),
  );
});

test("a trajectory of many rows counts once in the baseline", () => {
  const rows = [1, 1, 1, 0];
  const trajectories = ["a", "a", "a", "b"];
  expectClose(
    oncePerTrajectory(rows, trajectories, groupRelativeAdvantages),
    [0.5, 0.5, 0.5, -0.5],
  );
  // Control: counted by rows, the long trajectory would shift its own baseline.
  expect(groupRelativeAdvantages(rows)[0]).toBe(0.25);
});
