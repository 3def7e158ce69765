/** Importance ratios from log-probs: exp of a difference, clamped so that no ratio is infinite. */

/** Log-ratios are clamped to ±20 before `exp`; beyond that, one token would dominate the minibatch. */
export const LOG_RATIO_LIMIT = 20;

/** exp of a log-ratio clamped to ±20. */
export function clampedRatio(logRatio: number): number {
  return Math.exp(clampedLogRatio(logRatio));
}

/** A log-ratio clamped to ±20. */
export function clampedLogRatio(logRatio: number): number {
  return Math.min(LOG_RATIO_LIMIT, Math.max(-LOG_RATIO_LIMIT, logRatio));
}

/** d exp(clamped x) / dx: the ratio itself, 0 where the clamp binds. */
export function clampedRatioSlope(logRatio: number): number {
  return Math.abs(logRatio) >= LOG_RATIO_LIMIT ? 0 : Math.exp(logRatio);
}
