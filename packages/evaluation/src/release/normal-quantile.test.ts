import { expect, test } from "vitest";
import { normalQuantile } from "./normal-quantile.ts";

test("equals the quantiles of Python's statistics.NormalDist, in both formulas", () => {
  const expected: readonly (readonly [tail: number, quantile: number])[] = [
    [0.5, 0],
    [0.3, 0.5244005127080407],
    [0.07, 1.4757910281791702],
    [0.025, 1.9599639845400538],
    [0.004, 2.6520698079021954],
    [1e-4, 3.71901648545568],
    [1e-9, 5.9978070150076865],
    [2e-11, 6.604077590405633],
  ];
  for (const [tail, quantile] of expected) {
    expect(normalQuantile(tail)).toBeCloseTo(quantile, 12);
  }
});

test.each([0.51, 0, -0.1, 1e-12, Number.NaN])("a tail of %f is refused", (tail) => {
  const refusal = expect.objectContaining({ code: "INVALID_ARGUMENT" }) as object;
  expect(() => normalQuantile(tail)).toThrow(refusal);
});
