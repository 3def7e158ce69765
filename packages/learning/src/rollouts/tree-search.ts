/**
 * `tree`: Monte Carlo tree search whose simulations are whole rollouts. Each rollout continues an earlier one
 * from some turn, and all its turns become nodes. A node's value is the mean reward of the rollouts through it.
 * At each node, sampling a new action competes with the children. The next rollout is a function of the rollouts
 * so far; there is no other state.
 *
 * Source: Kocsis and Szepesvári 2006 (UCT); Silver et al. 2017 (PUCT); Putta et al. 2024, "Agent Q",
 * arXiv:2408.07199.
 * Differs from them: all turns of a simulation become nodes, not only its first; a node has no fixed number of
 * children, because actions are unknown until the policy samples them.
 */
import type { JudgedTrajectory, JudgedTurn } from "../composition/judged-trajectory.ts";
import { option, definePart } from "../composition/part-options.ts";
import type { RewardedGroup, RolloutPart } from "../composition/part.ts";
import type { RolloutStrategy } from "../composition/rollout-strategy.ts";
import { taskName } from "../composition/task-names.ts";
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
import type { Retells } from "./retelling.ts";
import { withRetold } from "./retold-group.ts";
import { startingAt } from "./stored-choice.ts";
import { armScore, type TreeRule } from "./tree-selection.ts";
import type { SearchedRollout } from "../states/searched-rollout.ts";

/** The tree of rollouts, with the rollouts through each node. */
export type SearchedTree = {
  readonly tree: SearchTree;
  /** By node: a rollout through it, and the number of its turns up to the node. */
  readonly seen: ReadonlyMap<string, { readonly rollout: string; readonly turns: number }>;
  /** By rollout: the node after each of its turns. */
  readonly paths: ReadonlyMap<string, readonly string[]>;
  /** By node: the number of the policy's decisions there, and the sum of their rewards. */
  readonly decisions: ReadonlyMap<string, { readonly visits: number; readonly valueSum: number }>;
};

export function searchedTree(rollouts: readonly SearchedRollout[]): SearchedTree {
  let tree = searchTree();
  const seen = new Map<string, { rollout: string; turns: number }>();
  const paths = new Map<string, string[]>();
  const decisions = new Map<string, { visits: number; valueSum: number }>();
  for (const { id, actions, given, priors, value } of rollouts) {
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
 * The next starting point: a rollout and the number of its turns to keep; `null` = the start of the task. From
 * the root down, the selection rule chooses between the best child and a new action. A node with fewer than
 * `width` decisions gets a new action.
 */
export function whereToGoOn(
  rollouts: readonly SearchedRollout[],
  rule: TreeRule,
  width: number,
): { readonly rollout: string; readonly turns: number } | null {
  const { tree, seen, decisions } = searchedTree(rollouts);
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
  /** Selection rule; default `puct` with exploration 0.5. */
  readonly rule?: TreeRule;
  /** Decisions at a node before its children are compared. Default 2. */
  readonly width?: number;
  /** How to compose a retold rollout from the search. */
  readonly retells?: Retells;
};

/** Sequential rollouts of each task; the start of each depends on the results of the earlier ones. */
function treeStrategy(
  size: number,
  next: (task: string, trajectories: readonly JudgedTrajectory[]) => ReturnType<typeof whereToGoOn>,
  retells: Retells | undefined,
): RolloutStrategy {
  return {
    name: "tree",
    options: { size },
    rollOut: (driver) =>
      driver.byTask(async (task, at) => {
        const trajectories: JudgedTrajectory[] = [];
        while (trajectories.length < size) {
          const start = next(taskName(task), trajectories);
          const root = [...trajectories, ...driver.stored].find(({ id }) => id === start?.rollout);
          const from = startingAt(root ?? null, start?.turns ?? 0);
          trajectories.push(await driver.rollOut(task, [at, trajectories.length], from));
        }
        return withRetold(driver, task, trajectories, retells);
      }),
  };
}

/** `tree`: `size` rollouts of each task. The search chooses where each one starts. */
export function tree(
  size?: number,
  { rule, width, retells }: TreeOptions = {},
): RolloutPart<"tree-store", "group"> {
  return definePart(
    {
      groupSize: option(size, 8),
      width: option(width, 2),
      searchRule: option<TreeRule["kind"]>(rule?.kind, "puct", ["puct", "uct"]),
      exploration: option(rule?.exploration, 0.5),
    },
    (given) => ({
      slot: "rollout",
      part: "tree",
      start: "group",
      needs: ["tree-store"],
      strategy: ({ state }) =>
        treeStrategy(
          given.groupSize,
          (task, trajectories) => {
            const chosen = { kind: given.searchRule, exploration: given.exploration };
            const earlier = (state["tree-store"] as StoredTrees)[task] ?? [];
            const now = trajectories.map((trajectory) => searchedRollout(trajectory));
            return whereToGoOn([...earlier, ...now], chosen, given.width);
          },
          retells,
        ),
    }),
  );
}

/** A trajectory as the search sees it; its value is the verifier's reward by default. */
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
    // Retold rollouts were not sampled.
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
