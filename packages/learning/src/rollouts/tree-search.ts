/**
 * `tree`: Monte-Carlo search whose simulations are whole rollouts. Each goes on from a turn of an earlier
 * one and is put into the tree with all its turns; a node's value is the mean of what came of the rollouts
 * that went through it. To go on afresh is one more choice at every node, beside its children. Which
 * rollout comes next is a function of those there are: nothing else is kept.
 *
 * Source: Kocsis and Szepesvári 2006 (UCT); Silver et al. 2017 (PUCT); Putta et al. 2024, "Agent Q",
 * arXiv:2408.07199.
 * Differs from them: all turns of a simulation become nodes, not its first alone; a node has no fixed
 * number of children, since nobody knows them before the policy has said them.
 */
import {
  backUp,
  expandNode,
  nodeValue,
  requireNode,
  type SearchNode,
  type SearchTree,
  searchTree,
} from "../states/search-tree.ts";
import { armScore, type TreeRule } from "./tree-selection.ts";

/** A finished rollout, from the start of its task. */
export type SearchedRollout = {
  readonly id: string;
  /** `[turns]` what was done; equal actions in one state lead to one state. */
  readonly actions: readonly string[];
  /** So many of its turns were given: the policy decided those after them. */
  readonly given: number;
  /** `[turns]` chance that the policy gave each of them. */
  readonly priors: readonly number[];
  /** What came of it. */
  readonly value: number;
};

/** The tree of rollouts, and where each node was seen. */
export type SearchedTree = {
  readonly tree: SearchTree;
  /** By node: a rollout that went through it, and how many of its turns lead there. */
  readonly seen: ReadonlyMap<string, { readonly rollout: string; readonly turns: number }>;
  /** By rollout: the nodes after each of its turns. */
  readonly paths: ReadonlyMap<string, readonly string[]>;
  /** By node: how often the policy decided there, and the sum of what came of it. */
  readonly decisions: ReadonlyMap<string, { readonly visits: number; readonly valueSum: number }>;
};

export function searchedTree(attempts: readonly SearchedRollout[]): SearchedTree {
  let tree = searchTree();
  const seen = new Map<string, { rollout: string; turns: number }>();
  const paths = new Map<string, string[]>();
  const decisions = new Map<string, { visits: number; valueSum: number }>();
  for (const { id, actions, given, priors, value } of attempts) {
    let at = tree.root;
    const path: string[] = [];
    if (!seen.has(at)) seen.set(at, { rollout: id, turns: 0 });
    for (const [turn, action] of actions.entries()) {
      if (turn >= given) {
        const { visits, valueSum } = decisions.get(at) ?? { visits: 0, valueSum: 0 };
        decisions.set(at, { visits: visits + 1, valueSum: valueSum + value });
      }
      const known = childBy(tree, at, action);
      if (known === null) {
        const isTerminal = turn === actions.length - 1;
        tree = expandNode(tree, at, [{ action, prior: priors[turn] ?? 1, isTerminal }]);
      }
      at = known ?? (childBy(tree, at, action) as string);
      if (!seen.has(at)) seen.set(at, { rollout: id, turns: turn + 1 });
      path.push(at);
    }
    paths.set(id, path);
    tree = backUp(tree, at, value);
  }
  return { tree, seen, paths, decisions };
}

/**
 * The turn to go on from: so many turns of a rollout; `null` = from the start. From the root down the
 * better of the best child and a fresh decision by the rule; where the policy decided fewer than `width`
 * times, a fresh one.
 */
export function whereToGoOn(
  attempts: readonly SearchedRollout[],
  rule: TreeRule,
  width: number,
): { readonly rollout: string; readonly turns: number } | null {
  const { tree, seen, decisions } = searchedTree(attempts);
  let at = requireNode(tree, tree.root);
  for (;;) {
    const parent = at;
    const { visits, valueSum } = decisions.get(parent.id) ?? { visits: 0, valueSum: 0 };
    const open = parent.children
      .map((id) => requireNode(tree, id))
      .filter(({ isTerminal }) => !isTerminal);
    if (visits < width || open.length === 0) break;
    const score = (arm: SearchNode): number =>
      armScore({ ...arm, value: nodeValue(arm) }, parent.visits, rule);
    const best = open.reduce((a, b) => (score(b) > score(a) ? b : a));
    const fresh = { value: valueSum / visits, prior: 1, visits };
    if (armScore(fresh, parent.visits, rule) > score(best)) break;
    at = best;
  }
  const place = seen.get(at.id);
  return place === undefined || place.turns === 0 ? null : place;
}

function childBy(tree: SearchTree, parent: string, action: string): string | null {
  const { children } = requireNode(tree, parent);
  return children.find((id) => requireNode(tree, id).action === action) ?? null;
}
