/**
 * How many standard errors a difference must be from 0 to count, if it is looked at after every request.
 * Without a difference, the chance of ever crossing the boundary is at most the given rate. So a test may
 * be repeated at will, and the intervals of `confidenceLimits` hold at all times together.
 *
 * The sum of normalized differences moves like Brownian motion W(n) in the sample size n. By the reflection
 * principle, P(W exceeds a√N before N) = 2 P(W(N) > a√N). That line is the boundary of O'Brien & Fleming for
 * continuous monitoring. It is nearly as powerful at n = N as a test that looks only once, but it ends there.
 * A normal mixture with the rest of the error rate goes on without end. The lower of both is the boundary.
 *
 * Source: O'Brien & Fleming 1979, "A multiple testing procedure for clinical trials", Biometrics 35(3); Lan
 * & DeMets 1983, Biometrika 70(3), for the continuous form; Jennison & Turnbull 1989, "Interim analyses: the
 * repeated confidence interval approach", JRSS B 51(3), for the intervals; `mixture-boundary.ts`.
 * Differs from them: two boundaries share the error rate. The guarantee is asymptotic, as theirs are.
 */
import { WaggleError } from "@waggle/protocol";
import { mixtureBoundary } from "./mixture-boundary.ts";
import { normalQuantile } from "./normal-quantile.ts";
import type { ArmDifference } from "./arm-difference.ts";

/** What a boundary is made for. */
export type BoundaryOptions = {
  /** Bound on the chance of ever crossing it in one direction without a difference, in [1e-5, 0.5]. */
  readonly falseAlarm: number;
  /** The size at which the test should have most power. A poor guess costs power, and no validity. */
  readonly planned: number;
};

/** Part of the error rate for the line up to the planned size. The mixture has the rest. */
const LINE_PART = 0.8;
/** The mixture is narrowest at this multiple of the planned size. */
const AFTERWARDS = 3;

/**
 * The boundary in standard errors.
 *
 * @param size - of an `ArmDifference`, > 0.
 * @throws WaggleError `INVALID_ARGUMENT` for options out of range.
 */
export function sequentialBoundary(size: number, { falseAlarm, planned }: BoundaryOptions): number {
  if (!(falseAlarm >= 1e-5 && falseAlarm <= 0.5) || !(planned >= 1)) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `a boundary needs a false-alarm rate in [1e-5, 0.5] and a planned size of at least 1, got ${falseAlarm} and ${planned}`,
    );
  }
  const mixture = mixtureBoundary(size, {
    falseAlarm: (1 - LINE_PART) * falseAlarm,
    narrowest: AFTERWARDS * planned,
  });
  if (size > planned) return mixture;
  const line = normalQuantile((LINE_PART * falseAlarm) / 2) * Math.sqrt(planned / size);
  return Math.min(line, mixture);
}

/** Limits of the true difference. Each is wrong at any time with a chance of at most the false-alarm rate. */
export function confidenceLimits(
  { difference, size, error }: ArmDifference,
  options: BoundaryOptions,
): { readonly low: number; readonly high: number } {
  const half = sequentialBoundary(size, options) * error;
  return { low: difference - half, high: difference + half };
}
