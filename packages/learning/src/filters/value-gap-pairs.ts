/**
 * `pair-gap`: a preference pair is made only where value or preference differs by a margin, within one
 * task or one state.
 *
 * Source: IPR, Agent Q (pairs at tree nodes by value difference).
 */
import {
  indicesByKey,
  requireFiniteRewards,
  requireInside,
  requireSameLength,
} from "../statistics.ts";

export type ValuePair = {
  readonly chosen: number;
  readonly rejected: number;
  readonly gap: number;
};

export type PairRule =
  /** The best of a key against its worst. */
  | "extremes"
  /** Every pair beyond the margin. */
  | "all";

/**
 * Pairs of indices, by key and then by gap, largest first.
 *
 * @param values - `[N]`
 * @param keys - `[N]` what makes two candidates comparable: same task, or same task and state.
 * @param margin - least gap, > 0: equals are never a pair.
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
