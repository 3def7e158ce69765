/**
 * The upper quantile of the standard normal distribution, to about 1e-15.
 *
 * Source: Wichura 1988, "Algorithm AS 241: the percentage points of the normal distribution", Applied
 * Statistics 37(3), PPND16.
 * Differs from it: tails below e^-25 are refused, so the third of its three formulas is left out.
 */
import { WaggleError } from "@waggle/protocol";

/** Coefficients of each polynomial, the highest power first, rounded to doubles. */
const CENTER = {
  above: [
    2509.0809287301227, 33430.57558358813, 67265.7709270087, 45921.95393154987, 13731.69376550946,
    1971.5909503065513, 133.14166789178438, 3.3871328727963665,
  ],
  below: [
    5226.495278852854, 28729.085735721943, 39307.89580009271, 21213.794301586597, 5394.196021424751,
    687.1870074920579, 42.31333070160091, 1,
  ],
};
const TAIL = {
  above: [
    0.0007745450142783414, 0.022723844989269184, 0.2417807251774506, 1.2704582524523684,
    3.6478483247632045, 5.769497221460691, 4.630337846156546, 1.4234371107496835,
  ],
  below: [
    1.0507500716444169e-9, 0.0005475938084995345, 0.015198666563616457, 0.14810397642748008,
    0.6897673349851, 1.6763848301838038, 2.053191626637759, 1,
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
