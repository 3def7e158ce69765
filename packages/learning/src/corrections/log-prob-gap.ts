/**
 * How far recorded log-probs are from the trainer's own at the same version, and bounds on the recorded ones.
 * A client that reports lower log-probs raises its own importance weight; a band around the re-scored value
 * limits that gain.
 */
import { WaggleError } from "@waggle/protocol";

/** Calibrated bounds of an honest client, in nats. */
export type LogProbBand = {
  /** Largest mean |behavior − re-scored| of one trajectory. */
  readonly mean: number;
  /** Largest |behavior − re-scored| of one token; also the band recorded values are bounded to. */
  readonly max: number;
};

/** Mean and maximum of |behavior − re-scored|, in nats. */
export type LogProbGap = { readonly mean: number; readonly max: number };

/**
 * Mean and maximum |behavior − re-scored| over the tokens of one trajectory; zeros without tokens.
 *
 * @throws WaggleError `SHAPE_MISMATCH` when the lengths differ.
 */
export function logProbGap(behavior: ArrayLike<number>, rescored: ArrayLike<number>): LogProbGap {
  if (behavior.length !== rescored.length) {
    throw new WaggleError(
      "SHAPE_MISMATCH",
      `there are ${behavior.length} behavior log-probs and ${rescored.length} re-scored ones; compute those of the recorded tokens`,
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

/** Whether a gap is inside the band; false for NaN. */
export function isInsideBand(gap: LogProbGap, band: LogProbBand): boolean {
  return gap.mean <= band.mean && gap.max <= band.max;
}

/** `[T]` recorded log-probs, each clamped to re-scored ± `band` nats. */
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
