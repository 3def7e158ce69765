/** When a base solves too few tasks to learn from, and where the documentation says what to do. */

/** Below this success, most groups of rollouts have no success to learn from. */
const LEARNABLE = 0.05;

export const WEAK_BASE_PAGE =
  "https://github.com/waggle-agents/waggle/blob/main/docs/how-to/your-own-environment.md#a-base-that-is-too-weak";

/** @param rates - success on held-out tasks, one per way of sampling. True if all are too low to learn from. */
export function isTooWeak(rates: readonly number[]): boolean {
  return rates.every((rate) => rate < LEARNABLE);
}
