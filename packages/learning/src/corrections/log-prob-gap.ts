/**
 * How far recorded log-probs lie from the trainer's own at the same version, and how much of that
 * is believed. A forger who lowers its log-probs raises its own importance weight; bounding the
 * recorded value to a band around the re-scored one limits the gain to the band.
 */
import { WaggleError } from "@waggle/protocol";

/** Calibrated bounds of an honest client, in nats. */
export type LogProbBand = {
  /** Largest mean |behavior − re-scored| of one trajectory. */
  readonly mean: number;
  /** Largest |behavior − re-scored| of one token; also the band recorded values are bounded to. */
  readonly max: number;
};

export type LogProbGap = { readonly mean: number; readonly max: number };

/**
 * Mean and max |behavior − re-scored| over the tokens of one trajectory; zeros for no token.
 *
 * @throws WaggleError `SHAPE_MISMATCH` when the lengths differ.
 */
export function logProbGap(behavior: ArrayLike<number>, rescored: ArrayLike<number>): LogProbGap {
  if (behavior.length !== rescored.length) {
    throw new WaggleError(
      "SHAPE_MISMATCH",
      `behavior and re-scored log-probs must align, got ${behavior.length} and ${rescored.length}; score the recorded tokens`,
    );
  }
  let sum = 0;
  let max = 0;
  for (let t = 0; t < behavior.length; t += 1) {
    const gap = Math.abs((behavior[t] as number) - (rescored[t] as number));
    sum += gap;
    max = Math.max(max, Number.isNaN(gap) ? Infinity : gap);
  }
  return { mean: behavior.length === 0 ? 0 : sum / behavior.length, max };
}

/** True when a gap lies inside the band; a NaN never does. */
export function isInsideBand(gap: LogProbGap, band: LogProbBand): boolean {
  return gap.mean <= band.mean && gap.max <= band.max;
}

/** `[T]` recorded log-probs, each bounded to re-scored ± `band` nats. */
export function boundedBehaviorLogProbs(
  behavior: ArrayLike<number>,
  rescored: ArrayLike<number>,
  band: number,
): number[] {
  return Array.from(behavior, (value, t) => {
    const center = rescored[t] as number;
    return Math.min(center + band, Math.max(center - band, value));
  });
}
