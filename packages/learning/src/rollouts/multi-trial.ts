/**
 * `multi-trial`: several rollouts at one task with what was seen kept between them. What is learned is
 * to adapt: later trials are to be better than the first.
 *
 * Source: AdA (several trials with memory), RISE (multi-turn retries of one-turn tasks).
 */

/** Whether another trial follows. */
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
