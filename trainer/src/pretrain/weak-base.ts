/** When a base solves too few tasks, and where the documentation says what to do. */
import type { BaseSuccess } from "./kind-success.ts";

/** Fewer tasks say nothing. */
const LEAST_TASKS = 20;

/** Below this success, most groups of rollouts have no success to learn from. */
const LEARNABLE = 0.05;

export const WEAK_BASE_PAGE =
  "https://github.com/waggle-agents/waggle/blob/main/docs/how-to/your-own-environment.md#a-base-that-is-too-weak";

/** @param rates - success on held-out tasks, one per way of sampling. True if all are too low to learn from. */
export function isTooWeak(rates: readonly number[]): boolean {
  return rates.every((rate) => rate < LEARNABLE);
}

/**
 * True if the success at tasks with unseen wordings is less than half of that at all tasks, sampled or greedily.
 */
export function needsWordings(unseen: BaseSuccess, all: BaseSuccess): boolean {
  return (["sampled", "greedy"] as const).some(
    (way) => unseen[way].trials >= LEAST_TASKS && unseen[way].rate < all[way].rate / 2,
  );
}
