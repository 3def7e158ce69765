/** Closeness of plain numbers in tests: every number of a list or of ragged rows. */
import { expect } from "vitest";

/** Each number within 1e-12 of its expected one, or 10^-digits / 2. */
export function expectClose(
  actual: ArrayLike<number>,
  expected: ArrayLike<number>,
  digits: number = 12,
): void {
  expect(actual.length).toBe(expected.length);
  for (const [i, value] of Array.from(expected).entries()) {
    expect(actual[i], `[${i}]`).toBeCloseTo(value, digits);
  }
}

export function expectRowsClose(
  actual: readonly ArrayLike<number>[],
  expected: readonly ArrayLike<number>[],
  digits: number = 12,
): void {
  expect(actual).toHaveLength(expected.length);
  for (const [b, row] of expected.entries()) expectClose(actual[b]!, row, digits);
}
