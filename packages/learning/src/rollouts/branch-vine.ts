/**
 * `branch-vine`: restore states that were visited and sample several continuations of each.
 *
 * Source: Schulman et al. 2015, "TRPO" (vine), arXiv:1502.05477; Polychromic PPO, arXiv:2509.25424;
 * Early Experience (own alternatives at expert states).
 */
import { drawWeighted } from "../draw.ts";
import { requireInside } from "../statistics.ts";

export type VinePoint = { readonly turn: number; readonly continuations: number };

/**
 * Turns of one run to restore, ascending.
 *
 * @param turns - turns of the run; the last is left out where it ended the task.
 * @param spread - `even`: equal distances. Numbers: `[turns]` weights of a draw (entropy, visits).
 */
export function vinePoints(
  turns: number,
  points: number,
  continuations: number,
  spread: "even" | readonly number[],
  random: () => number,
): VinePoint[] {
  requireInside("turns", turns, 1, Number.MAX_SAFE_INTEGER);
  requireInside("continuations", continuations, 1, Number.MAX_SAFE_INTEGER);
  const count = Math.min(points, turns);
  const chosen =
    spread === "even"
      ? Array.from({ length: count }, (_, i) => Math.floor((i * turns) / count))
      : drawWeighted(spread, count, random).toSorted((a, b) => a - b);
  return chosen.map((turn) => ({ turn, continuations }));
}
