/**
 * `length`: a penalty that grows linearly over the last part of the allowed length. Not the length
 * normalization of a loss.
 *
 * Source: Yu et al. 2025, "DAPO" (soft overlong punishment), arXiv:2503.14476.
 */
import { sampledTokens } from "../composition/judged-trajectory.ts";
import { fixedAll, definePart } from "../composition/part-options.ts";
import type { RewardPart } from "../composition/part.ts";
import { requireInside } from "../statistics.ts";
import { rewardPart } from "./reward-part.ts";

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

/** `length`: a penalty that grows toward the limit, in sampled tokens. */
export function overlong(limit: number, buffer: number): RewardPart {
  return definePart(fixedAll({ limit, buffer }), () =>
    rewardPart("length", (trajectory) => ({
      total: overlongPenalty(sampledTokens(trajectory), { limit, buffer }),
    })),
  );
}
