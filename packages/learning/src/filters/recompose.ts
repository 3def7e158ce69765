/**
 * `recompose` (RoRecomp): a priority batch of short successes and long failures, which shows that
 * brevity pays; what is left goes to a compensation buffer and is learned from later.
 *
 * Source: Li et al. 2025, "RoRecomp", arXiv:2509.25958.
 * Differs from it: the chance of a compensation step rises linearly with progress.
 */
import { requireInside, requireSameLength } from "../statistics.ts";

export type Recomposition = {
  /** Indices learned from now. */
  readonly priority: readonly number[];
  /** Indices for the compensation buffer. */
  readonly compensation: readonly number[];
};

/**
 * @param lengths - `[N]` tokens or tool calls.
 * @param share - of the successes (shortest) and of the failures (longest) that are priority, in (0, 1].
 */
export function recomposed(
  isCorrect: readonly boolean[],
  lengths: readonly number[],
  share: number,
): Recomposition {
  requireSameLength("lengths", lengths.length, "isCorrect", isCorrect.length);
  requireInside("share", share, Number.MIN_VALUE, 1);
  const byLength = lengths.map((_, i) => i).sort((a, b) => lengths[a]! - lengths[b]! || a - b);
  const shortest = byLength.filter((i) => isCorrect[i]);
  const longest = byLength.filter((i) => !isCorrect[i]).reverse();
  const first = (indices: readonly number[]): number[] =>
    indices.slice(0, Math.ceil(indices.length * share));
  const priority = new Set([...first(shortest), ...first(longest)]);
  const all = lengths.map((_, i) => i);
  return {
    priority: all.filter((i) => priority.has(i)),
    compensation: all.filter((i) => !priority.has(i)),
  };
}

/**
 * True where this step learns from the compensation buffer instead. The chance rises with progress from
 * 0 to `most`, so that plain success gets its say back.
 */
export function isCompensationStep(progress: number, most: number, random: () => number): boolean {
  requireInside("progress", progress, 0, 1);
  return random() < most * progress;
}
