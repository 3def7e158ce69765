/**
 * `multi-trial`: several trials of one task in a shared context, so that the policy learns to adapt and
 * later trials become better than the first.
 *
 * Source: AdA (several trials with memory), RISE (multi-turn retries of one-turn tasks).
 */

/** Returns whether another trial follows. */
export function goesOn(
  rewards: readonly number[],
  most: number,
  stopsAtSuccess: boolean,
  successFrom: number = 1,
): boolean {
  const last = rewards.at(-1);
  if (rewards.length >= most) return false;
  return !(stopsAtSuccess && last !== undefined && last >= successFrom);
}
