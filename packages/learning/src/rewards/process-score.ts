/**
 * `process`: judged steps or units of thought as one number or as turn rewards. A step that nobody
 * judged is left out of the mean; a run of which nothing was judged has no process reward.
 *
 * Source: Atom-Searcher (units of thought), PPR (principle-based step scores).
 */
import { WaggleError } from "@waggle/protocol";
import { meanOf, requireFiniteRewards } from "../statistics.ts";

/**
 * Mean of the judged steps.
 *
 * @param scores - `[steps]`, `null` where nobody judged.
 * @throws WaggleError `REWARD_UNAVAILABLE` where no step was judged.
 */
export function processReward(scores: readonly (number | null)[]): number {
  const judged = scores.filter((score) => score !== null);
  if (judged.length === 0) {
    throw new WaggleError(
      "REWARD_UNAVAILABLE",
      `a process reward must have at least one judged step, got none of ${scores.length}; judge again or drop the episode`,
      { retryable: true },
    );
  }
  requireFiniteRewards(judged);
  return meanOf(judged);
}

/** `[steps]` the score minus the mean of the judged ones, 0 where nobody judged: no pay for silence. */
export function processTurnRewards(scores: readonly (number | null)[]): number[] {
  const mean = processReward(scores);
  return scores.map((score) => (score === null ? 0 : score - mean));
}
