/**
 * `pair-gap`: makes a preference pair only if values or preferences differ by a margin, within one task or
 * state.
 *
 * Source: IPR, Agent Q (pairs at tree nodes by value difference).
 */
import { option, definePart } from "../composition/part-options.ts";
import type { FilterPart, RewardedTrajectory } from "../composition/part.ts";
import {
  indicesByKey,
  requireFiniteRewards,
  requireInside,
  requireSameLength,
} from "../statistics.ts";
import { filterPart, keepTrajectories } from "./filter-part.ts";
import { selectBy } from "./selection.ts";

/** A pair of indexes and their gap. */
export type ValuePair = {
  readonly chosen: number;
  readonly rejected: number;
  readonly gap: number;
};

/** Which pairs of a key to make. */
export type PairRule =
  /** The best of a key and its worst. */
  | "extremes"
  /** Every pair with a gap above the margin. */
  | "all";

/**
 * Pairs of indexes, ordered by key and then by gap, largest first.
 *
 * @param values - `[N]`
 * @param keys - `[N]` key of comparable candidates: the task, or the task and state.
 * @param margin - least gap, > 0: equal values never form a pair.
 */
export function pairsByGap(
  values: readonly number[],
  keys: readonly string[],
  margin: number,
  rule: PairRule = "extremes",
): ValuePair[] {
  requireSameLength("keys", keys.length, "values", values.length);
  requireFiniteRewards(values);
  requireInside("margin", margin, Number.MIN_VALUE, Number.MAX_VALUE);
  return [...indicesByKey(keys).values()].flatMap((indices) => {
    const pairs = indices
      .flatMap((chosen) =>
        indices.map((rejected) => ({ chosen, rejected, gap: values[chosen]! - values[rejected]! })),
      )
      .filter(({ gap }) => gap >= margin)
      .sort((a, b) => b.gap - a.gap || a.chosen - b.chosen || a.rejected - b.rejected);
    return rule === "all" ? pairs : pairs.slice(0, 1);
  });
}

/** `pair-gap`: pairs rollouts of one task whose values differ by the margin. Defaults: 0.1, `extremes`. */
export function pairGap(margin?: number, rule?: PairRule): FilterPart {
  return definePart(
    {
      margin: option(margin, 0.1),
      pairRule: option<PairRule>(rule, "extremes", ["extremes", "all"]),
    },
    (given) => pairedBy(given.margin, given.pairRule),
  );
}

function pairedBy(margin: number, rule: PairRule): FilterPart {
  return filterPart("pair-gap", (groups) => {
    const all = groups.flatMap(({ task, trajectories }) =>
      trajectories.map((rewarded) => ({ task, rewarded })),
    );
    const pairs = pairsByGap(
      all.map(({ rewarded }) => rewarded.reward.total),
      all.map(({ task }) => task),
      margin,
      rule,
    ).map(({ chosen, rejected }) => [idOf(all[chosen]), idOf(all[rejected])] as const);
    const paired = new Set(pairs.flat());
    const kept = keepTrajectories(groups, (trajectories) =>
      selectBy(trajectories, ({ trajectory }) => (paired.has(trajectory.id) ? null : "no-pair")),
    );
    return { ...kept, pairs };
  });
}

function idOf(entry: { readonly rewarded: RewardedTrajectory } | undefined): string {
  return entry?.rewarded.trajectory.id ?? "";
}
