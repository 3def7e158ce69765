import { expect, test } from "vitest";
import { movingAverage, type StepLine, toColumns } from "./step-columns.ts";

const line = (metric: string, smooth = false): StepLine => ({
  label: metric,
  metric,
  color: "--x",
  format: String,
  smooth,
});
const row = (step: number, metrics: { [name: string]: number }) => ({
  step,
  at: "2026-11-20T12:00:00.000Z",
  metrics,
});

test("each line has a column, followed by its average if it is smoothed", () => {
  const rows = [row(1, { a: 1, b: 10 }), row(2, { a: 2, b: 20 })];
  expect(toColumns(rows, [line("a", true), line("b")], false)).toEqual([
    [1, 2],
    [1, 2],
    [1, 1.15],
    [10, 20],
  ]);
});

test("missing and non-finite values are gaps, and so is zero on a logarithmic axis", () => {
  const rows = [row(1, {}), row(2, { a: Number.NaN }), row(3, { a: 0 }), row(4, { a: 1 })];
  expect(toColumns(rows, [line("a")], false)[1]).toEqual([null, null, 0, 1]);
  expect(toColumns(rows, [line("a")], true)[1]).toEqual([null, null, null, 1]);
});

test("an average skips gaps and stays between its values", () => {
  // 0.15 · 1 + 0.85 · 0 = 0.15, unchanged over the gap, then 0.15 + 0.15 · 0.85.
  const averaged = movingAverage([null, 0, 1, null, 1]);
  expect(averaged.slice(0, 4)).toEqual([null, 0, 0.15, 0.15]);
  expect(averaged[4]).toBeCloseTo(0.2775, 10);
});
