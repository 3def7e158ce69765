/**
 * `prefix-replay`: begin from a prefix of a stored run, an expert's or a failed one, and let the policy
 * finish. Prefixes shrink as the policy succeeds: the end is learned first.
 *
 * Source: EEF (useful parts of failed expert runs), IPR; reverse curricula, Florensa et al. 2017,
 * arXiv:1707.05300.
 */
import { requireInside } from "../statistics.ts";

/**
 * Turns of the stored run that are replayed before the policy takes over, in [0, turns − 1].
 *
 * @param share - of the run, in [0, 1]: 1 leaves the last turn alone, 0 the whole task.
 */
export function replayedTurns(turns: number, share: number): number {
  requireInside("turns", turns, 1, Number.MAX_SAFE_INTEGER);
  requireInside("share", share, 0, 1);
  return Math.round(share * (turns - 1));
}

/** The share after a group: shorter by `stride` where the policy passed the bar, longer where it failed it. */
export function nextShare(
  share: number,
  passRate: number,
  { bar = 0.6, floor = 0.2, stride = 0.1 }: { bar?: number; floor?: number; stride?: number } = {},
): number {
  if (passRate >= bar) return Math.max(0, share - stride);
  return passRate < floor ? Math.min(1, share + stride) : share;
}

/**
 * The last turn from which some continuation still succeeded: the turns before it are worth imitating,
 * the next one is where the run went wrong. −1 where none did.
 *
 * @param successRates - `[turns]` of continuations from before each turn.
 */
export function lastGoodTurn(successRates: readonly number[]): number {
  return successRates.findLastIndex((rate) => rate > 0);
}
