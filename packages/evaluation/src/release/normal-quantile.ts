/**
 * The upper quantile of the standard normal distribution, to about 1e-15.
 *
 * Source: Wichura 1988, "Algorithm AS 241: the percentage points of the normal distribution", Applied
 * Statistics 37(3), PPND16.
 * Differs from it: tails below e^-25 are refused, so the third of its three formulas is left out.
 */
import { WaggleError } from "@waggle/protocol";

/** Coefficients of each polynomial, the highest power first. */
const CENTER = {
  above: [
    2509.0809287301226727, 33430.575583588128105, 67265.770927008700853, 45921.953931549871457,
    13731.693765509461125, 1971.5909503065514427, 133.14166789178437745, 3.387132872796366608,
  ],
  below: [
    5226.495278852854561, 28729.085735721942674, 39307.89580009271061, 21213.794301586595867,
    5394.1960214247511077, 687.1870074920579083, 42.313330701600911252, 1,
  ],
};
const TAIL = {
  above: [
    7.7454501427834140764e-4, 0.0227238449892691845833, 0.24178072517745061177,
    1.27045825245236838258, 3.64784832476320460504, 5.7694972214606914055, 4.6303378461565452959,
    1.42343711074968357734,
  ],
  below: [
    1.05075007164441684324e-9, 5.475938084995344946e-4, 0.0151986665636164571966,
    0.14810397642748007459, 0.68976733498510000455, 1.6763848301838038494, 2.05319162663775882187,
    1,
  ],
};

/** Smallest tail that the second formula covers. */
const SMALLEST = Math.exp(-25);

/**
 * The number that a standard normal variable exceeds with this probability.
 *
 * @param tail - in [e^-25, 0.5].
 * @throws WaggleError `INVALID_ARGUMENT` for another tail.
 */
export function normalQuantile(tail: number): number {
  if (!(tail >= SMALLEST && tail <= 0.5)) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `the tail of a normal quantile must be between 1.4e-11 and 0.5, got ${tail}`,
    );
  }
  const q = 0.5 - tail;
  if (q <= 0.425) return q * ratio(CENTER, 0.180625 - q * q);
  return ratio(TAIL, Math.sqrt(-Math.log(tail)) - 1.6);
}

function ratio({ above, below }: typeof CENTER, r: number): number {
  return polynomial(above, r) / polynomial(below, r);
}

function polynomial(coefficients: readonly number[], r: number): number {
  return coefficients.reduce((value, coefficient) => value * r + coefficient, 0);
}
