/**
 * `tree-store`: a search tree over snapshots as a plain value: visits and value sums by node, and ordered
 * children. The environment keeps the snapshots.
 *
 * Source: Agent Q, R-MCTS, ProAct (trees over states); backing up means is textbook.
 */
import { WaggleError } from "@waggle/protocol";
import { kept, type StatePart } from "../composition/state.ts";
import type { SearchedRollout } from "./searched-rollout.ts";

export type SearchNode = {
  readonly id: string;
  readonly parent: string | null;
  /** The action from the parent; `null` for the root. */
  readonly action: string | null;
  /** The policy's probability of the action. */
  readonly prior: number;
  /** Whether the task ended here. */
  readonly isTerminal: boolean;
  readonly visits: number;
  readonly valueSum: number;
  readonly children: readonly string[];
};

export type SearchTree = {
  readonly root: string;
  readonly nodes: { readonly [id: string]: SearchNode };
};

export function searchTree(): SearchTree {
  const root = nodeOf("n0", null, { action: null, prior: 1, isTerminal: false });
  return { root: root.id, nodes: { [root.id]: root } };
}

/** A child before its first visit. */
export type Expansion = {
  readonly action: string;
  readonly prior: number;
  readonly isTerminal: boolean;
};

/** Adds ordered children under `parent`. Ids are `n1`, `n2`, … */
export function expandNode(
  tree: SearchTree,
  parent: string,
  children: readonly Expansion[],
): SearchTree {
  const above = requireNode(tree, parent);
  const first = Object.keys(tree.nodes).length;
  const added = children.map((child, i) => nodeOf(`n${first + i}`, parent, child));
  return {
    ...tree,
    nodes: {
      ...tree.nodes,
      ...Object.fromEntries(added.map((node) => [node.id, node])),
      [parent]: { ...above, children: [...above.children, ...added.map(({ id }) => id)] },
    },
  };
}

/** Records a value at `id`; every node on its path gets one more visit. */
export function backUp(tree: SearchTree, id: string, value: number): SearchTree {
  const changed: { [id: string]: SearchNode } = {};
  for (let at: string | null = id; at !== null;) {
    const node: SearchNode = requireNode(tree, at);
    changed[at] = { ...node, visits: node.visits + 1, valueSum: node.valueSum + value };
    at = node.parent;
  }
  return { ...tree, nodes: { ...tree.nodes, ...changed } };
}

/** Mean value; 0 if never visited. */
export function nodeValue({ visits, valueSum }: SearchNode): number {
  return visits === 0 ? 0 : valueSum / visits;
}

/** @throws WaggleError `NOT_FOUND` */
export function requireNode({ nodes }: SearchTree, id: string): SearchNode {
  const node = Object.hasOwn(nodes, id) ? nodes[id] : undefined;
  if (node === undefined) {
    throw new WaggleError(
      "NOT_FOUND",
      `no node ${id.slice(0, 64)} in the tree of ${Object.keys(nodes).length} nodes`,
    );
  }
  return node;
}

function nodeOf(
  id: string,
  parent: string | null,
  known: Pick<SearchNode, "action" | "prior" | "isTerminal">,
): SearchNode {
  return { id, parent, ...known, visits: 0, valueSum: 0, children: [] };
}

/** Rollouts by task, for the newest tasks. */
export type StoredTrees = { readonly [task: string]: readonly SearchedRollout[] };

/** Maximum number of tasks. */
export const MOST_TASKS = 64;

/** `tree-store`: searched rollouts by task. */
export const searchTrees: StatePart<"tree-store"> = kept("tree-store", (): StoredTrees => ({}));
