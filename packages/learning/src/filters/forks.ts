/** Pairs of sibling turns at the forks of a search tree, and its best line. */
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import { option, definePart } from "../composition/part-options.ts";
import type { FilterPart, RewardedTrajectory } from "../composition/part.ts";
import { searchedRollout, searchedTree } from "../rollouts/tree-search.ts";
import { principalLine } from "../rollouts/tree-selection.ts";
import { filterPart, keepTrajectories } from "./filter-part.ts";
import { selectBy } from "./selection.ts";
import { pairsByGap } from "./value-gap-pairs.ts";

const FORK_UNITS = ["turn", "rest"] as const;

/**
 * `pair-gap` at forks: pairs the best and the worst action of one state by `mc`, if they differ by the
 * margin. Each rollout is in at most one pair; the largest gaps come first.
 *
 * @param margin - default 0.1.
 * @param unit - tokens that are trained on both sides: only the action (default), or everything from it on.
 * @param isChosen - which rollouts may be the chosen side; default all.
 */
export function forks(
  margin?: number,
  unit?: (typeof FORK_UNITS)[number],
  isChosen: (trajectory: JudgedTrajectory) => boolean = () => true,
): FilterPart {
  const options = {
    margin: option(margin, 0.1),
    forkUnit: option(unit, "turn", FORK_UNITS),
  };
  return definePart(options, (given) => forksBy(given.margin, given.forkUnit, isChosen));
}

function forksBy(
  margin: number,
  unit: "turn" | "rest",
  isChosen: (trajectory: JudgedTrajectory) => boolean,
): FilterPart {
  return filterPart("pair-gap", (groups, { advantages }) => {
    const actions = groups.flatMap(({ trajectories }, g) =>
      trajectories.flatMap((rewarded) =>
        rewarded.trajectory.turns.flatMap((turn, i) => {
          // Turns before the branch belong to another rollout.
          if (i < (rewarded.trajectory.branch?.turn ?? 0)) return [];
          const rows = advantages?.get(rewarded.trajectory.id) ?? [];
          const value = rows[turn.sample]?.[turn.start] ?? 0;
          return [{ rewarded, turn: i, value, key: `${g}/${turn.state}` }];
        }),
      ),
    );
    const turns = new Map<string, number>();
    const pairs: (readonly [string, string])[] = [];
    const gaps = pairsByGap(
      actions.map(({ value }) => value),
      actions.map(({ key }) => key),
      margin,
    );
    for (const { chosen, rejected } of gaps.toSorted((a, b) => b.gap - a.gap)) {
      const [better, worse] = [actions[chosen], actions[rejected]];
      if (better === undefined || worse === undefined || !isChosen(better.rewarded.trajectory))
        continue;
      const ids = [better.rewarded.trajectory.id, worse.rewarded.trajectory.id] as const;
      if (ids.some((id) => turns.has(id))) continue;
      turns.set(ids[0], better.turn).set(ids[1], worse.turn);
      pairs.push(ids);
    }
    const paired = keepTrajectories(groups, (trajectories) =>
      selectBy(trajectories, ({ trajectory }) => (turns.has(trajectory.id) ? null : "no-pair")),
    );
    const masked = paired.groups.map(({ task, trajectories }) => ({
      task,
      trajectories: trajectories.map((rewarded) => {
        const first = turns.get(rewarded.trajectory.id) ?? 0;
        return withTurns(rewarded, (i) => i === first || (unit === "rest" && i > first));
      }),
    }));
    return { ...paired, groups: masked, pairs };
  });
}

/**
 * For each searched task, the rollout that ends the most visited line, with all its turns, if it succeeded.
 */
export function bestLine(): FilterPart {
  return filterPart("best-line", (groups) => {
    const ends = new Set(
      groups.flatMap(({ trajectories }) => {
        const searched = searchedTree(
          trajectories.map(({ trajectory, reward }) => searchedRollout(trajectory, reward.total)),
        );
        const last = principalLine(searched.tree).at(-1) ?? "";
        const end = trajectories.find(
          ({ trajectory }) => searched.paths.get(trajectory.id)?.at(-1) === last,
        );
        return end?.trajectory.verification.success === true ? [end.trajectory.id] : [];
      }),
    );
    const best = keepTrajectories(groups, (trajectories) =>
      selectBy(trajectories, ({ trajectory }) =>
        ends.has(trajectory.id) ? null : "not-the-best-line",
      ),
    );
    return {
      ...best,
      groups: best.groups.map(({ task, trajectories }) => ({
        task,
        trajectories: trajectories.map((rewarded) => withTurns(rewarded, () => true)),
      })),
    };
  });
}

/** The trajectory with the loss of these turns, including those shared with other trajectories. */
export function withTurns(
  rewarded: RewardedTrajectory,
  counts: (turn: number) => boolean,
): RewardedTrajectory {
  const { samples, turns } = rewarded.trajectory;
  const lossMask = samples.map(({ lossMask: mask }) => mask.map(() => false));
  for (const [i, { sample, start, end }] of turns.entries()) {
    if (counts(i)) lossMask[sample]?.fill(true, start, end);
  }
  return { ...rewarded, lossMask };
}
