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
import type { JudgedTrajectory, JudgedTurn } from "../composition/judged-trajectory.ts";
import { option, fixed, definePart } from "../composition/part-options.ts";
import type { RewardedGroup, RolloutPart } from "../composition/part.ts";
import type { Retells } from "../composition/rollout-plan.ts";
import {
  backUp,
  expandNode,
  MOST_TASKS,
  nodeValue,
  requireNode,
  type SearchNode,
  type SearchTree,
  searchTree,
  type StoredTrees,
} from "../states/search-tree.ts";
import { armScore, type TreeRule } from "./tree-selection.ts";
import type { SearchedRollout } from "../states/searched-rollout.ts";

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

type TreeOptions = {
  /** Default `puct` with exploration 0.5. */
  readonly rule?: TreeRule;
  /** Decisions of the policy at a state before its children are compared. Default 2. */
  readonly width?: number;
  /** What of the rollouts is told as one more. */
  readonly retells?: Retells;
};

/** `tree`: `size` rollouts at each task, each from where the search says. */
export function tree(
  size?: number,
  { rule = { kind: "puct", exploration: 0.5 }, width, retells }: TreeOptions = {},
): RolloutPart<"tree-store", "group"> {
  const { kind, exploration } = rule;
  return definePart(
    {
      groupSize: option(size, 8),
      width: option(width, 2),
      rule: fixed(kind),
      exploration: fixed(exploration),
    },
    (given) => ({
      slot: "rollout",
      part: "tree",
      start: "group",
      needs: ["tree-store"],
      plan: ({ state }) => ({
        kind: "tree",
        size: given.groupSize,
        next: (task, trajectories) => {
          const earlier = (state["tree-store"] as StoredTrees)[task] ?? [];
          const now = trajectories.map((trajectory) => searchedRollout(trajectory));
          return whereToGoOn([...earlier, ...now], rule, given.width);
        },
        ...(retells === undefined ? {} : { retells }),
      }),
    }),
  );
}

/** A trajectory as a search sees it; its value by default the verifier's. */
export function searchedRollout(
  trajectory: JudgedTrajectory,
  value: number = trajectory.verification.reward,
): SearchedRollout {
  return {
    id: trajectory.id,
    given: trajectory.branch?.turn ?? 0,
    value,
    actions: trajectory.turns.map((turn) => tokensOf(trajectory, turn).join(" ")),
    priors: trajectory.turns.map(({ sample, start, end }) => {
      const logProbs = trajectory.samples[sample]?.behaviorLogProbs.slice(start, end) ?? [];
      return Math.exp(logProbs.reduce((sum, logProb) => sum + logProb, 0));
    }),
  };
}

function tokensOf(
  { samples }: JudgedTrajectory,
  { sample, start, end }: JudgedTurn,
): readonly number[] {
  return samples[sample]?.sequence.tokenIds.slice(start, end) ?? [];
}

export function withRollouts(trees: StoredTrees, groups: readonly RewardedGroup[]): StoredTrees {
  const entries = new Map(Object.entries(trees));
  for (const { task, trajectories } of groups) {
    const earlier = entries.get(task) ?? [];
    const known = new Set(earlier.map(({ id }) => id));
    // What was told of rollouts was never tried.
    const added = trajectories.filter(
      ({ trajectory }) => trajectory.role !== "retold" && !known.has(trajectory.id),
    );
    entries.delete(task);
    entries.set(task, [
      ...earlier,
      ...added.map(({ trajectory, reward }) => searchedRollout(trajectory, reward.total)),
    ]);
  }
  return Object.fromEntries([...entries].slice(-MOST_TASKS));
}
