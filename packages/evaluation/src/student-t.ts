/**
 * Student's t: the upper tail of the distribution, and the test that a mean difference is above 0.
 *
 * Source: Student 1908, Biometrika 6(1); the tail by the continued fraction of the incomplete beta
 * function, Abramowitz & Stegun 26.5.8 in Lentz's form.
 */
import { WaggleError } from "@waggle/protocol";
import { logGamma } from "./gamma.ts";
import { mean } from "./summary.ts";

/** P(T > t) with `degrees` > 0 degrees of freedom; may be infinite. */
export function studentTail(t: number, degrees: number): number {
  if (t < 0) return 1 - studentTail(-t, degrees);
  // With more degrees, the tail equals the normal distribution's to seven digits.
  const finite = Math.min(degrees, 1e7);
  return 0.5 * incompleteBeta(finite / 2, 0.5, finite / (finite + t * t));
}

/** Result of a one-sided test of a mean. */
export type MeanTest = {
  readonly mean: number;
  /** Standard error of the mean. */
  readonly error: number;
  readonly t: number;
  readonly degrees: number;
  /** One-sided p-value of "the mean is not above 0". */
  readonly pValue: number;
};

/**
 * Tests whether independent differences have a mean above 0.
 *
 * @param differences - `[n]`, n ≥ 2.
 * @throws WaggleError `INVALID_ARGUMENT` for fewer than two.
 */
export function meanAboveZero(differences: readonly number[]): MeanTest {
  const { center, variance } = spreadOf(differences);
  const degrees = differences.length - 1;
  const error = Math.sqrt(variance / differences.length);
  return { ...testOf(center, error, degrees), error };
}

/** The test for a given mean and standard error. Without error, t is infinite with the sign of the mean, or 0. */
export function testOf(center: number, error: number, degrees: number): MeanTest {
  const t = error > 0 ? center / error : center === 0 ? 0 : Math.sign(center) * Infinity;
  return { mean: center, error, t, degrees, pValue: studentTail(t, degrees) };
}

/** Mean and variance of values. @throws WaggleError `INVALID_ARGUMENT` for fewer than two values. */
export function spreadOf(values: readonly number[]): {
  readonly center: number;
  /** Sample variance, divided by n − 1. */
  readonly variance: number;
} {
  if (values.length < 2) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `a test of a mean needs at least 2 differences, and there ${values.length === 1 ? "is 1" : "are none"}; run more seeds`,
    );
  }
  const center = mean(values);
  const squares = values.reduce((sum, value) => sum + (value - center) ** 2, 0);
  return { center, variance: squares / (values.length - 1) };
}

function incompleteBeta(a: number, b: number, x: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(b, a, 1 - x);
  const front = Math.exp(
    logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x),
  );
  const tiny = 1e-300;
  let c = 1;
  let d = 1 / nonZero(1 - ((a + b) * x) / (a + 1), tiny);
  let fraction = d;
  for (let m = 1; m < 500; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    let change = 1;
    for (const term of [even, odd]) {
      d = 1 / nonZero(1 + term * d, tiny);
      c = nonZero(1 + term / c, tiny);
      change = c * d;
      fraction *= change;
    }
    if (Math.abs(change - 1) < 1e-14) break;
  }
  return (front * fraction) / a;
}

function nonZero(value: number, tiny: number): number {
  return Math.abs(value) < tiny ? tiny : value;
}
