import fc from "fast-check";
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
import {
  branchProbability,
  decideBranch,
  fillUp,
  openingEntropy,
  wholeRollouts,
} from "./branch-entropy.ts";
import { vinePoints } from "./branch-vine.ts";
import { forkPairs, principalLine, selectLeaf, type TreeRule } from "./tree-selection.ts";

test("the opening's entropy is the mean of the first tokens, of fewer where there are fewer", () => {
  expect(openingEntropy([1, 2, 9], 2)).toBe(1.5);
  expect(openingEntropy([4], 5)).toBe(4);
});

test("the budget is split by measured entropy: even for equals, at least one whole rollout", () => {
  expect(wholeRollouts(8, 1, 1)).toBe(4);
  // σ(2) = 0.881, σ(−2) = 0.119
  expect(wholeRollouts(8, 3, 1)).toBe(7);
  expect(wholeRollouts(8, 1, 3)).toBe(1);
  expect(wholeRollouts(8, 0, 99)).toBe(1);
  expect(wholeRollouts(1, 0, 99)).toBe(1);
});

const rule = { base: 0.3, slope: 2, mostEntropy: 5, mostInARow: 3 };

test("a fork is likelier where entropy rose, and decays with forks in a row", () => {
  const p = [0, 1, 2, 3, 4].map((inARow) => branchProbability(rule, 2, 1, inARow));
  expectClose(p, [0.7, (0.7 * 2) / 3, 0.7 / 3, 0, 0]);
  expect(branchProbability(rule, 1, 1, 0)).toBeCloseTo(0.3, 12);
  expect(branchProbability(rule, 0, 4, 0)).toBe(0);
  expect(branchProbability(rule, 9, 0, 0)).toBe(1);
});

test("leaves equal the budget, whatever was measured and drawn", () => {
  fc.assert(
    fc.property(
      fc.nat(),
      fc.integer({ min: 1, max: 24 }),
      fc.double({ min: 0, max: 4, noNaN: true }),
      (seed, budget, toolEntropy) => {
        const random = seeded(seed);
        let state = { budget, leaves: wholeRollouts(budget, 1, toolEntropy) };
        const open = Array.from({ length: state.leaves }, () => ({ turn: 0, inARow: 0 }));
        let leaves = 0;
        for (let at = open.pop(); at !== undefined; at = open.pop()) {
          if (at.turn === 6) {
            leaves += 1;
            continue;
          }
          const probability = branchProbability(rule, 3 * random(), 1, at.inARow);
          const decided = decideBranch(state, probability, random);
          state = decided.state;
          const next = { turn: at.turn + 1, inARow: decided.forks ? at.inARow + 1 : 0 };
          open.push(next);
          if (decided.forks) open.push(next);
        }
        expect(leaves).toBe(state.leaves);
        expect(leaves + fillUp(state)).toBe(budget);
        expect(fillUp(state)).toBeGreaterThanOrEqual(0);
      },
    ),
  );
});

test("vine points are spread evenly or drawn by weight, each once", () => {
  expect(vinePoints(6, 3, 4, "even", seeded(1))).toEqual(
    [0, 2, 4].map((turn) => ({ turn, continuations: 4 })),
  );
  expect(vinePoints(3, 9, 1, "even", seeded(1)).map(({ turn }) => turn)).toEqual([0, 1, 2]);
  const drawn = vinePoints(4, 2, 1, [0, 5, 0, 5], seeded(1)).map(({ turn }) => turn);
  expect(drawn).toEqual([1, 3]);
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
