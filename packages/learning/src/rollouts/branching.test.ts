import { expect, test } from "vitest";
import { expectClose } from "../close.fixture.ts";
import { seeded } from "../seeded.fixture.ts";
import {
  backUp,
  expandNode,
  requireNode,
  type SearchTree,
  searchTree,
} from "../states/search-tree.ts";
import { branchProbability } from "./branch-entropy.ts";
import { forkPairs, principalLine, selectLeaf, type TreeRule } from "./tree-selection.ts";

const rule = { base: 0.3, slope: 2, mostEntropy: 5, mostInARow: 3 };

test("a fork is likelier where entropy rose, and decays with forks in a row", () => {
  const p = [0, 1, 2, 3, 4].map((inARow) => branchProbability(rule, 2, 1, inARow));
  expectClose(p, [0.7, (0.7 * 2) / 3, 0.7 / 3, 0, 0]);
  expect(branchProbability(rule, 1, 1, 0)).toBeCloseTo(0.3, 12);
  expect(branchProbability(rule, 0, 4, 0)).toBe(0);
  expect(branchProbability(rule, 9, 0, 0)).toBe(1);
});

const uct: TreeRule = { kind: "uct", exploration: 1 };
const child = (action: string, isTerminal = false, prior = 0.5) => ({ action, prior, isTerminal });

test("UCT visits every child first, then the better one more, and finds the best leaf", () => {
  // Depth 2, two actions each; only b then a pays.
  let tree: SearchTree = searchTree();
  const depthOf = (id: string): number => {
    const { parent } = requireNode(tree, id);
    return parent === null ? 0 : 1 + depthOf(parent);
  };
  const pathOf = (id: string): string => {
    const { parent, action } = requireNode(tree, id);
    return parent === null ? "" : pathOf(parent) + action;
  };
  const random = seeded(2);
  for (let i = 0; i < 400; i += 1) {
    const leaf = selectLeaf(tree, uct)!;
    if (requireNode(tree, leaf).visits > 0 && depthOf(leaf) < 2) {
      tree = expandNode(tree, leaf, [child("a"), child("b")]);
    }
    const grown = selectLeaf(tree, uct)!;
    tree = backUp(tree, grown, pathOf(grown) === "ba" ? 1 : random() * 0.2);
  }
  expect(principalLine(tree).map((id) => requireNode(tree, id).action)).toEqual(["b", "a"]);
  expect(requireNode(tree, tree.root).visits).toBe(400);
});

test("finished branches are not entered again, and a finished tree has no leaf to grow", () => {
  let tree = expandNode(searchTree(), "n0", [child("a", true), child("b")]);
  expect(selectLeaf(tree, uct)).toBe("n2");
  tree = expandNode(tree, "n2", [child("c", true)]);
  expect(selectLeaf(tree, uct)).toBeNull();
});

test("priors lead PUCT before values do", () => {
  let tree = expandNode(searchTree(), "n0", [child("a", false, 0.1), child("b", false, 0.9)]);
  tree = backUp(backUp(tree, "n1", 0), "n2", 0);
  expect(selectLeaf(tree, { kind: "puct", exploration: 1 })).toBe("n2");
});

test("forks give pairs where their best and worst child differ by the margin", () => {
  let tree = expandNode(searchTree(), "n0", [child("a"), child("b"), child("c")]);
  tree = backUp(backUp(tree, "n1", 1), "n2", 0.2);
  expect(forkPairs(tree, 0.5)).toEqual([{ parent: "n0", chosen: "n1", rejected: "n2", gap: 0.8 }]);
  expect(forkPairs(tree, 0.9)).toEqual([]);
});
