/**
 * `multi-trial`: several attempts at one task with what was seen kept between them. What is learned is
 * to adapt: later trials are to be better than the first.
 *
 * Source: AdA (several trials with memory), RISE (multi-turn retries of one-turn tasks).
 */
import { requireFiniteRewards, requireInside } from "../statistics.ts";

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

/**
 * `[trials]` what each trial is paid: its reward over the best before it, so that repeating a success
 * pays nothing twice; they sum to the best.
 */
export function improvementRewards(rewards: readonly number[]): number[] {
  requireFiniteRewards(rewards);
  let best = 0;
  return rewards.map((reward) => {
    const gain = Math.max(0, reward - best);
    best = Math.max(best, reward);
    return gain;
  });
}

/** Mean reward of trial k (from 0) over tasks that came to it; 0 where none did. */
export function successAtTrial(rewards: readonly (readonly number[])[], k: number): number {
  requireInside("k", k, 0, Number.MAX_SAFE_INTEGER);
  const reached = rewards.flatMap((row) => (k < row.length ? [row[k]!] : []));
  return reached.length === 0 ? 0 : reached.reduce((a, b) => a + b, 0) / reached.length;
}
