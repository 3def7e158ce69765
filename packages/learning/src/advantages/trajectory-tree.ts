/**
 * `branch`, and statistics over trees of segments: prefix tokens get the mean advantage of the branches below
 * them, branch tokens their own. A shared segment is trained once, and a trajectory with several samples
 * counts once in a baseline.
 *
 * Source: Dong et al. 2025, "Agentic Reinforced Policy Optimization", arXiv:2507.19849 (hard advantage
 * attribution).
 */
import { WaggleError } from "@waggle/protocol";
import type { RewardedTrajectory } from "../composition/part.ts";
import { indicesByKey, meanOf, requireFiniteRewards } from "../statistics.ts";
import { withScale } from "./advantage-scale.ts";
import { advantagePart, byTurns, type GroupPart } from "./credit.ts";
import { groupAdvantage, totalAdvantages } from "./group-advantages.ts";
import type { GroupAdvantageOptions } from "./group-advantage-options.ts";

/** A segment of a trajectory's tree; a parent comes before its children. */
export type TreeSegment = {
  readonly id: string;
  /** `null` for a root. */
  readonly parent: string | null;
};

/**
 * The advantage of each segment: the mean over the leaves below it; for a leaf its own.
 *
 * @param leafAdvantages - by id of every segment that ends a rollout. A segment may end a rollout and have
 *   children; then it is a leaf among its own descendants.
 * @throws WaggleError `INVALID_ARGUMENT` for a parent that does not come before its child, and for a segment
 *   without a leaf below it.
 */
export function segmentAdvantages(
  segments: readonly TreeSegment[],
  leafAdvantages: ReadonlyMap<string, number>,
): Map<string, number> {
  requireFiniteRewards([...leafAdvantages.values()]);
  const sums = new Map<string, { sum: number; leaves: number }>();
  for (const { id, parent } of segments) {
    if (parent !== null && !sums.has(parent)) throw notATree(id, parent);
    const own = leafAdvantages.get(id);
    sums.set(id, { sum: own ?? 0, leaves: own === undefined ? 0 : 1 });
  }
  for (const { id, parent } of [...segments].reverse()) {
    if (parent === null) continue;
    const child = sums.get(id)!;
    const above = sums.get(parent)!;
    above.sum += child.sum;
    above.leaves += child.leaves;
  }
  const result = new Map<string, number>();
  for (const [id, { sum, leaves }] of sums) {
    if (leaves === 0) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `segment ${id} leads to no leaf with an advantage; drop the segment or judge its rollout`,
      );
    }
    result.set(id, sum / leaves);
  }
  return result;
}

/**
 * One advantage per row, with one entry per trajectory in the estimator: the mean reward of its rows (which
 * are equal if the outcome was copied to them).
 *
 * @param rowRewards - `[rows]`
 * @param trajectories - `[rows]` trajectory of each row.
 * @param estimator - `[G]` rewards of trajectories to `[G]` advantages.
 */
export function oncePerTrajectory(
  rowRewards: readonly number[],
  trajectories: readonly string[],
  estimator: (rewards: readonly number[]) => readonly number[],
): number[] {
  const rows = [...indicesByKey(trajectories).values()];
  const advantages = estimator(rows.map((indices) => meanOf(indices.map((i) => rowRewards[i]!))));
  const result = rowRewards.map(() => 0);
  for (const [at, indices] of rows.entries()) {
    for (const i of indices) result[i] = advantages[at] as number;
  }
  return result;
}

function notATree(id: string, parent: string): WaggleError {
  return new WaggleError(
    "INVALID_ARGUMENT",
    `segment ${id} comes before its parent ${parent}; keep the recorded order of segments`,
  );
}

/** `branch`: a prefix shared by branches gets the mean advantage of those branches. */
export function branchAttributed(options?: GroupAdvantageOptions): GroupPart {
  return withScale(options, (scaled) => {
    return advantagePart(
      "branch",
      "group",
      (groups) =>
        byTurns(groups, (trajectories) => {
          const ofGroup = totalAdvantages(trajectories, scaled);
          const { segments, leaves } = treeOf(trajectories, ofGroup);
          const bySegment = segmentAdvantages(segments, leaves);
          return trajectories.map(({ trajectory }) =>
            trajectory.turns.map((_, turn) => bySegment.get(segmentId(trajectory.id, turn)) ?? 0),
          );
        }),
      { around: [groupAdvantage(scaled)] },
    );
  });
}

function segmentId(trajectory: string, turn: number | "end"): string {
  return `${trajectory}/${turn}`;
}

/**
 * The turns of a group as one tree. A branch is attached to the turn that it left, and every trajectory ends
 * in a leaf of its own, so one may end where another continues.
 */
function treeOf(
  trajectories: readonly RewardedTrajectory[],
  advantages: readonly number[],
): { readonly segments: TreeSegment[]; readonly leaves: Map<string, number> } {
  const segments: TreeSegment[] = [];
  const leaves = new Map<string, number>();
  // Roots first: a parent comes before its children.
  const order = [...trajectories.entries()].toSorted(
    ([, a], [, b]) => (a.trajectory.branch?.turn ?? 0) - (b.trajectory.branch?.turn ?? 0),
  );
  for (const [i, { trajectory }] of order) {
    const from = trajectory.branch?.turn ?? 0;
    let parent: string | null =
      trajectory.branch === null || from === 0
        ? null
        : segmentId(trajectory.branch.trajectory, from - 1);
    for (let turn = from; turn < trajectory.turns.length; turn += 1) {
      const id = segmentId(trajectory.id, turn);
      segments.push({ id, parent });
      parent = id;
    }
    const leaf = segmentId(trajectory.id, "end");
    segments.push({ id: leaf, parent });
    leaves.set(leaf, advantages[i] as number);
  }
  return { segments, leaves };
}
