/**
 * `length`: a penalty that grows linearly over the last part of the allowed length, and a brevity term
 * among successes. Not the loss's length normalization.
 *
 * Source: Yu et al. 2025, "DAPO" (soft overlong punishment), arXiv:2503.14476; brevity among correct
 * answers after Kimi k1.5, arXiv:2501.12599.
 */
import { requireInside, requireSameLength } from "../statistics.ts";

/**
 * In [−factor, 0]: 0 up to `limit − buffer`, −factor at the limit and beyond.
 *
 * @param length - sampled tokens.
 */
export function overlongPenalty(
  length: number,
  {
    limit,
    buffer,
    factor = 1,
  }: { readonly limit: number; readonly buffer: number; readonly factor?: number },
): number {
  requireInside("buffer", buffer, 1, limit);
  const over = length - (limit - buffer);
  return over <= 0 ? 0 : -Math.min(over / buffer, 1) * factor;
}

/**
 * `[G]` 0.5 − (length − shortest)/(longest − shortest) for successes, at most 0 for failures: the
 * short are preferred, and a short failure earns nothing. All 0 where lengths are equal.
 */
export function brevityRewards(lengths: readonly number[], success: readonly boolean[]): number[] {
  requireSameLength("success", success.length, "lengths", lengths.length);
  const shortest = Math.min(...lengths);
  const range = Math.max(...lengths) - shortest;
  return lengths.map((length, i) => {
    if (range === 0) return 0;
    const brevity = 0.5 - (length - shortest) / range;
    return success[i] ? brevity : Math.min(0, brevity);
  });
}
