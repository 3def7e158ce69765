import { expect, test } from "vitest";
import { expectClose } from "../close.fixture.ts";
import { backUp, expandNode, requireNode, searchTree } from "../states/search-tree.ts";
import { branchProbability } from "./branch-entropy.ts";
import { armScore, principalLine, type TreeRule } from "./tree-selection.ts";

const rule = { base: 0.3, slope: 2, mostEntropy: 5, mostInARow: 3 };

test("a fork is likelier where entropy rose, and less likely after consecutive forks", () => {
  const p = [0, 1, 2, 3, 4].map((inARow) => branchProbability(rule, 2, 1, inARow));
  expectClose(p, [0.7, (0.7 * 2) / 3, 0.7 / 3, 0, 0]);
  expect(branchProbability(rule, 1, 1, 0)).toBeCloseTo(0.3, 12);
  expect(branchProbability(rule, 0, 4, 0)).toBe(0);
  expect(branchProbability(rule, 9, 0, 0)).toBe(1);
});

const child = (action: string) => ({ action, prior: 0.5, isTerminal: false });

test("UCT tries unvisited choices first; PUCT follows priors before values", () => {
  const arm = (value: number, prior: number, visits: number) => ({ value, prior, visits });
  const uct: TreeRule = { kind: "uct", exploration: 1 };
  expect(armScore(arm(0, 0.1, 0), 8, uct)).toBe(Number.POSITIVE_INFINITY);
  expect(armScore(arm(0.5, 0.1, 4), 8, uct)).toBeCloseTo(0.5 + Math.sqrt(Math.log(8) / 4), 12);
  const puct: TreeRule = { kind: "puct", exploration: 1 };
  expect(armScore(arm(0, 0.9, 1), 2, puct)).toBeGreaterThan(armScore(arm(0, 0.1, 1), 2, puct));
  expect(armScore(arm(0.2, 0.5, 3), 16, puct)).toBeCloseTo(0.2 + (0.5 * 4) / 4, 12);
});

test("the path to imitate follows the most visits, then the value", () => {
  let tree = expandNode(searchTree(), "n0", [child("a"), child("b")]);
  tree = expandNode(tree, "n2", [child("c"), child("d")]);
  for (const [node, value] of [
    ["n1", 1],
    ["n3", 0.2],
    ["n4", 0.6],
    ["n4", 0.1],
  ] as const) {
    tree = backUp(tree, node, value);
  }
  expect(principalLine(tree).map((id) => requireNode(tree, id).action)).toEqual(["b", "d"]);
  expect(principalLine(searchTree())).toEqual([]);
});
