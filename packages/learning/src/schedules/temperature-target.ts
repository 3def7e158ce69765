/**
 * `temp-target`: the sampling temperature follows an entropy target, so that exploration neither dies
 * nor runs away: controlled from what was measured.
 *
 * Source: Liu et al. 2025, "AceReason-Nemotron 1.1", arXiv:2506.13284 (temperature-adjusted entropy near
 * 0.3).
 */
import { WaggleError } from "@waggle/protocol";

export type TemperatureControl = {
  readonly target: number;
  /** Change of log temperature per nat of error and step. */
  readonly gain: number;
  readonly least: number;
  readonly most: number;
};

/**
 * The next temperature after this entropy was measured at the present one.
 *
 * @throws WaggleError `NON_FINITE_VALUE` where nothing was measured.
 */
export function nextTemperature(
  { target, gain, least, most }: TemperatureControl,
  temperature: number,
  entropy: number,
): number {
  if (!Number.isFinite(entropy)) {
    throw new WaggleError(
      "NON_FINITE_VALUE",
      `a measured entropy must be finite, got ${entropy}; measure it over sampled tokens`,
    );
  }
  const next = temperature * Math.exp(gain * (target - entropy));
  return Math.max(least, Math.min(most, next));
}
