import { expect, test } from "vitest";
import { concatenatedLosses, jointNorm, type LossResult, meanMetrics } from "./loss.ts";

const result = (loss: number, rows: readonly number[][], metrics = {}): LossResult => ({
  loss,
  derivatives: { logProb: rows.map((row) => Float64Array.from(row)) },
  metrics,
});

test("minibatches are joined by row, with the mean loss and the mean of each metric", () => {
  const joined = concatenatedLosses([
    result(1, [[1, 2]], { clipped: 0.5 }),
    result(3, [[3], [4]], { clipped: 0.1, entropy: 2 }),
  ]);
  expect(joined.loss).toBe(2);
  expect(joined.derivatives.logProb?.map((row) => Array.from(row))).toEqual([[1, 2], [3], [4]]);
  expect(joined.derivatives.values).toBeUndefined();
  expect(joined.metrics).toEqual({ clipped: 0.3, entropy: 1 });
});

test("a single minibatch is its own result", () => {
  const one = result(1, [[1]]);
  expect(concatenatedLosses([one])).toBe(one);
});

test("a metric that a step lacks counts as 0 there", () => {
  expect(meanMetrics([{ a: 2 }, {}])).toEqual({ a: 1 });
  expect(meanMetrics([])).toEqual({});
});

test("the norm of parts is the root of the sum of squares", () => {
  expect(jointNorm([3, 4])).toBe(5);
  expect(jointNorm([])).toBe(0);
});
