/** Vitest's `toBeAllClose`: element-wise closeness that says where, what and how far. */
import type {} from "vitest";
import { TOLERANCE } from "./tolerance.ts";
import type { Tolerance } from "./tolerance.ts";

/** The result of a Vitest matcher. */
export type MatcherResult = { readonly pass: boolean; readonly message: () => string };

/**
 * Register with `expect.extend({ toBeAllClose })`. NaN is close to nothing, an infinity only to
 * itself. Lengths must agree. Default tolerance: `TOLERANCE.f32`.
 */
export function toBeAllClose(
  actual: ArrayLike<number>,
  expected: ArrayLike<number>,
  tolerance: Tolerance = TOLERANCE.f32,
): MatcherResult {
  if (actual.length !== expected.length) {
    return {
      pass: false,
      message: () => `expected ${expected.length} numbers, got ${actual.length}`,
    };
  }
  const worst = largestError(actual, expected, tolerance);
  if (worst === null) {
    return {
      pass: true,
      message: () => `expected some of ${actual.length} numbers not to be close`,
    };
  }
  return {
    pass: false,
    message: () =>
      `expected all of ${actual.length} numbers to be within ${tolerance.absolute} + ${tolerance.relative}·|expected|; ` +
      `${worst.count} are not, first [${worst.first}]: got ${actual[worst.first]}, expected ${expected[worst.first]}; ` +
      `largest error ${worst.error} at [${worst.index}]: got ${actual[worst.index]}, expected ${expected[worst.index]}`,
  };
}

type Failure = { first: number; index: number; error: number; count: number };

function largestError(
  actual: ArrayLike<number>,
  expected: ArrayLike<number>,
  tolerance: Tolerance,
): Failure | null {
  let failure: Failure | null = null;
  for (let index = 0; index < actual.length; index++) {
    const got = actual[index] as number;
    const wanted = expected[index] as number;
    if (got === wanted) continue;
    const difference = Math.abs(got - wanted);
    const isClose =
      Number.isFinite(difference) &&
      difference <= tolerance.absolute + tolerance.relative * Math.abs(wanted);
    if (isClose) continue;
    const error = Number.isFinite(difference) ? difference : Infinity;
    if (failure === null) failure = { first: index, index, error, count: 1 };
    else {
      failure.count++;
      if (error > failure.error) Object.assign(failure, { index, error });
    }
  }
  return failure;
}

declare module "vitest" {
  interface Matchers<R extends void | Promise<void>, T> {
    toBeAllClose(expected: ArrayLike<number>, tolerance?: Tolerance): R;
  }
}
