/**
 * Search over the turns of a task: `tree` says where the next rollout begins, `mc` what a turn was worth by
 * all rollouts that went through it, and filters take pairs or the best line from what was searched.
 * Rollouts of earlier steps are kept by task in `tree-store`, where the search goes on from them.
 */
import { continuationAdvantages, continuationValues } from "../advantages/continuation-values.ts";
import type { JudgedTrajectory, JudgedTurn } from "../composition/judged-trajectory.ts";
import { dial, fixed, made } from "../composition/making.ts";
import type {
  AdvantagePart,
  FilterPart,
  RolloutPart,
  RewardedTrajectory,
  RewardedGroup,
} from "../composition/part.ts";
import type { Retells } from "../composition/rollout-plan.ts";
import { kept, type StateName, type StatePart } from "../composition/state.ts";
import { pairsByGap } from "../filters/value-gap-pairs.ts";
import { type SearchedRollout, searchedTree, whereToGoOn } from "../rollouts/tree-search.ts";
import { principalLine, type TreeRule } from "../rollouts/tree-selection.ts";
import { advantagePart, byTurns } from "./credit.ts";
import { filterPart, keepTrajectories } from "./filter-part.ts";
import { selectBy } from "../filters/selection.ts";

/** Rollouts by task, of the newest tasks. */
export type StoredTrees = { readonly [task: string]: readonly SearchedRollout[] };

/** Tasks whose rollouts are kept. */
const MOST_TASKS = 64;

/** `tree-store`: what was searched, by task. */
export const searchTrees: StatePart<"tree-store"> = kept("tree-store", (): StoredTrees => ({}));

export type TreeOptions = {
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
  return made(
    {
      ...{ groupSize: dial(size, 8), width: dial(width, 2) },
      ...{ rule: fixed(kind), exploration: fixed(exploration) },
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

/**
 * `mc`: V after a turn less V before it, V the mean reward of the group's rollouts that went through a
 * state. Where nobody left a rollout, only its beginning has another value than its end.
 */
export function monteCarlo(): AdvantagePart<never, "group"> {
  return advantagePart("mc", "group", (groups) => byTurns(groups, byContinuations));
}

/** The same, and the rollouts are kept for the search to go on from. */
export function monteCarloTree(): AdvantagePart<"tree-store", "group"> {
  return advantagePart(
    "mc",
    "group",
    (groups, { state }) => ({
      ...byTurns(groups, byContinuations),
      state: { "tree-store": withRollouts(state["tree-store"] as StoredTrees, groups) },
    }),
    { needs: ["tree-store"] },
  );
}

/** `inner`, and `weight` times what continuations say of each turn. */
export function calibrated<N extends StateName>(
  inner: AdvantagePart<N, "group">,
  weight: number,
): AdvantagePart<N, "group"> {
  return made({ weight: fixed(weight) }, (_, [estimator]) => withContinuations(estimator, weight), [
    inner,
  ]);
}

function withContinuations<N extends StateName>(
  inner: AdvantagePart<N, "group">,
  weight: number,
): AdvantagePart<N, "group"> {
  const calibrating = monteCarlo();
  return {
    ...calibrating,
    needs: inner.needs,
    around: [inner],
    estimate: (groups, context) => {
      const estimated = inner.estimate(groups, context);
      const { advantages } = calibrating.estimate(groups, context);
      return {
        ...estimated,
        advantages: new Map(
          Array.from(estimated.advantages, ([id, rows]) => [
            id,
            rows.map((row, sample) =>
              Float64Array.from(
                row,
                (own, t) => own + weight * (advantages.get(id)?.[sample]?.[t] ?? 0),
              ),
            ),
          ]),
        ),
      };
    },
  };
}

function byContinuations(trajectories: readonly RewardedTrajectory[]): number[][] {
  const through = new Map<string, number[]>();
  for (const { trajectory, score } of trajectories) {
    for (const { state } of trajectory.turns) {
      through.set(state, [...(through.get(state) ?? []), score.reward]);
    }
  }
  const values = continuationValues([...through.values()]);
  const valueOf = new Map([...through.keys()].map((state, i) => [state, values[i] as number]));
  return trajectories.map(({ trajectory: { turns }, score }) =>
    continuationAdvantages(
      turns.map((_, i) => (i === turns.length - 1 ? score.reward : 0)),
      turns.map(({ state }) => valueOf.get(state) as number),
    ),
  );
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
      ...added.map(({ trajectory, score }) => searchedRollout(trajectory, score.reward)),
    ]);
  }
  return Object.fromEntries([...entries].slice(-MOST_TASKS));
}

/**
 * `pair-gap` at forks: of the actions in one state the best against the worst by `mc`, where they differ by
 * the margin. Each rollout is in one pair, those of the largest gaps first.
 *
 * @param unit what is learned of both: the action alone, or all from it on.
 * @param isChosen which rollouts may be the better ones; default all.
 */
export function forks(
  margin?: number,
  unit: "turn" | "rest" = "turn",
  isChosen: (trajectory: JudgedTrajectory) => boolean = () => true,
): FilterPart {
  return made({ margin: dial(margin, 0.1) }, (given) => forksBy(given.margin, unit, isChosen));
}

function forksBy(
  margin: number,
  unit: "turn" | "rest",
  isChosen: (trajectory: JudgedTrajectory) => boolean,
): FilterPart {
  return filterPart("pair-gap", (groups, { advantages }) => {
    const actions = groups.flatMap(({ trajectories }, g) =>
      trajectories.flatMap((scored) =>
        scored.trajectory.turns.flatMap((turn, i) => {
          // Turns before its branch are another rollout's.
          if (i < (scored.trajectory.branch?.turn ?? 0)) return [];
          const rows = advantages?.get(scored.trajectory.id) ?? [];
          const value = rows[turn.sample]?.[turn.start] ?? 0;
          return [{ scored, turn: i, value, key: `${g}/${turn.state}` }];
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
      if (better === undefined || worse === undefined || !isChosen(better.scored.trajectory))
        continue;
      const ids = [better.scored.trajectory.id, worse.scored.trajectory.id] as const;
      if (ids.some((id) => turns.has(id))) continue;
      turns.set(ids[0], better.turn).set(ids[1], worse.turn);
      pairs.push(ids);
    }
    const paired = keepTrajectories(groups, (trajectories) =>
      selectBy(trajectories, ({ trajectory }) => (turns.has(trajectory.id) ? null : "no-pair")),
    );
    const masked = paired.groups.map(({ task, trajectories }) => ({
      task,
      trajectories: trajectories.map((scored) => {
        const first = turns.get(scored.trajectory.id) ?? 0;
        return withTurns(scored, (i) => i === first || (unit === "rest" && i > first));
      }),
    }));
    return { ...paired, groups: masked, pairs };
  });
}

/**
 * Of each searched task the rollout that ends the most visited line, all its turns, where it succeeded.
 */
export function bestLine(): FilterPart {
  return filterPart("best-line", (groups) => {
    const ends = new Set(
      groups.flatMap(({ trajectories }) => {
        const searched = searchedTree(
          trajectories.map(({ trajectory, score }) => searchedRollout(trajectory, score.reward)),
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
        trajectories: trajectories.map((scored) => withTurns(scored, () => true)),
      })),
    };
  });
}

/** The trajectory with the loss of these turns, those it shares with others included. */
export function withTurns(
  scored: RewardedTrajectory,
  counts: (turn: number) => boolean,
): RewardedTrajectory {
  const { samples, turns } = scored.trajectory;
  const lossMask = samples.map(({ lossMask: mask }) => mask.map(() => false));
  for (const [i, { sample, start, end }] of turns.entries()) {
    if (counts(i)) lossMask[sample]?.fill(true, start, end);
  }
  return { ...scored, lossMask };
}
