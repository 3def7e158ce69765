/**
 * `tree`: which leaf of a search tree to grow next, and what the finished tree teaches: a line to
 * imitate, pairs at its forks.
 *
 * Source: Kocsis and Szepesvári 2006 (UCT); Silver et al. 2017 (priors, PUCT); Agent Q, R-MCTS.
 */
import { argMax } from "../statistics.ts";
import { nodeValue, requireNode, type SearchNode, type SearchTree } from "../states/search-tree.ts";

export type TreeRule =
  /** value + c · √(ln N / n); a child never visited comes first. */
  | { readonly kind: "uct"; readonly exploration: number }
  /** value + c · prior · √N / (1 + n) */
  | { readonly kind: "puct"; readonly exploration: number };

/**
 * The node to expand next: from the root the best child by the rule, until a node without children.
 * Finished branches (terminal, or all of whose children are) are not entered again; `null` where the
 * whole tree is finished.
 */
export function selectLeaf(tree: SearchTree, rule: TreeRule): string | null {
  let at = requireNode(tree, tree.root);
  if (isFinished(tree, at)) return null;
  while (at.children.length > 0) {
    const parent = at;
    const open = parent.children
      .map((id) => requireNode(tree, id))
      .filter((child) => !isFinished(tree, child));
    at = open[argMax(open.map((child) => scoreOf(child, parent, rule)))] as SearchNode;
  }
  return at.id;
}

function isFinished(tree: SearchTree, node: SearchNode): boolean {
  if (node.isTerminal) return true;
  return (
    node.children.length > 0 && node.children.every((id) => isFinished(tree, requireNode(tree, id)))
  );
}

function scoreOf(child: SearchNode, parent: SearchNode, rule: TreeRule): number {
  return armScore({ ...child, value: nodeValue(child) }, parent.visits, rule);
}

/** What a choice is worth to a search that made `visits` of it at a node with `parentVisits`. */
export function armScore(
  arm: { readonly value: number; readonly prior: number; readonly visits: number },
  parentVisits: number,
  { kind, exploration }: TreeRule,
): number {
  if (kind === "puct") {
    return arm.value + (exploration * arm.prior * Math.sqrt(parentVisits)) / (1 + arm.visits);
  }
  if (arm.visits === 0) return Number.POSITIVE_INFINITY;
  return arm.value + exploration * Math.sqrt(Math.log(parentVisits) / arm.visits);
}

/** Node ids from the root's child down, by most visits, value among equals: the line to imitate. */
export function principalLine(tree: SearchTree): string[] {
  const line: string[] = [];
  for (let at = requireNode(tree, tree.root); ;) {
    const children = at.children
      .map((id) => requireNode(tree, id))
      .filter(({ visits }) => visits > 0);
    if (children.length === 0) return line;
    at = children.reduce((a, b) =>
      b.visits > a.visits || (b.visits === a.visits && nodeValue(b) > nodeValue(a)) ? b : a,
    );
    line.push(at.id);
  }
}

export type ForkPair = {
  readonly parent: string;
  readonly chosen: string;
  readonly rejected: string;
  readonly gap: number;
};

/** At each fork the best child against the worst, where both were visited and differ by the margin. */
export function forkPairs(tree: SearchTree, margin: number, leastVisits: number = 1): ForkPair[] {
  return Object.values(tree.nodes).flatMap(({ id, children }) => {
    const tried = children
      .map((child) => requireNode(tree, child))
      .filter(({ visits }) => visits >= leastVisits)
      .toSorted((a, b) => nodeValue(b) - nodeValue(a));
    const [best, worst] = [tried[0], tried.at(-1)];
    if (best === undefined || worst === undefined) return [];
    const gap = nodeValue(best) - nodeValue(worst);
    if (best === worst || gap < margin) return [];
    return [{ parent: id, chosen: best.id, rejected: worst.id, gap }];
  });
}
