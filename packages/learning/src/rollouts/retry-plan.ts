/**
 * `retry`: a failed attempt is followed by a reflection, or by guidance, and a second attempt. No sample
 * is made where the first attempt succeeds; the reflection alone is learned, where the retry wins.
 *
 * Source: Reflect, Retry, Reward, arXiv:2505.24726; Agent-RLVR (guidance, removed from what is stored).
 */

export type RetryDecision =
  /** The first attempt succeeded: there is nothing to reflect on. */
  | { readonly kind: "none" }
  | { readonly kind: "reflect" }
  | { readonly kind: "guide"; readonly guidance: string };

/** @param guidance - what a guide says of this failure; `null` leaves the policy to itself. */
export function retryDecision(
  firstReward: number,
  guidance: string | null,
  successFrom: number = 1,
): RetryDecision {
  if (firstReward >= successFrom) return { kind: "none" };
  return guidance === null ? { kind: "reflect" } : { kind: "guide", guidance };
}

/** Reward of the reflection: 1 where the retry wins, else 0. The answers themselves earn nothing. */
export function reflectionReward(retryReward: number, successFrom: number = 1): number {
  return retryReward >= successFrom ? 1 : 0;
}

/** The mask with loss on the reflection's tokens `[start, end)` alone. */
export function reflectionMask(
  lossMask: readonly boolean[],
  reflection: { readonly start: number; readonly end: number },
): boolean[] {
  return lossMask.map((kept, t) => kept && t >= reflection.start && t < reflection.end);
}

/**
 * The parts of a guided run that are stored, as if the guidance had never been said: the policy learns
 * to do alone what it was helped with.
 */
export function withoutGuidance<T extends { readonly isGuidance: boolean }>(
  parts: readonly T[],
): T[] {
  return parts.filter(({ isGuidance }) => !isGuidance);
}
