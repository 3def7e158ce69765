/**
 * `tree`: selection scores of a search, and the path of a finished tree that is imitated.
 *
 * Source: Kocsis and Szepesvári 2006 (UCT); Silver et al. 2017 (priors, PUCT); Agent Q, R-MCTS.
 */
import { nodeValue, requireNode, type SearchTree } from "../states/search-tree.ts";

export type TreeRule =
  /** value + c · √(ln N / n); an unvisited child comes first. */
  | { readonly kind: "uct"; readonly exploration: number }
  /** value + c · prior · √N / (1 + n) */
  | { readonly kind: "puct"; readonly exploration: number };

/** Selection score of a choice with `visits` visits at a node with `parentVisits`. */
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

/** Node ids from the root's child down, by visits and then value: the path to imitate. */
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
