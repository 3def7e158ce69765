import { expect, test } from "vitest";
import { calibrated, isotonicFit, reliability } from "./calibration.ts";
import type { Prediction } from "./calibration.ts";

/** `count` predictions of this confidence, of which a share succeeds. */
function predictions(confidence: number, share: number, count = 20): Prediction[] {
  return Array.from({ length: count }, (_, nth) => ({ confidence, success: nth < share * count }));
}

test("the error is the mean distance of confidence and success over bins of equal size", () => {
  const exact = [...predictions(0.9, 0.9), ...predictions(0.25, 0.25)];
  expect(reliability(exact, 2).error).toBeCloseTo(0, 12);
  const boastful = [...predictions(0.9, 0.5), ...predictions(0.25, 0.25)];
  const { bins, error } = reliability(boastful, 2);
  expect(error).toBeCloseTo(0.2, 12);
  expect(bins.map(({ count }) => count)).toEqual([20, 20]);
  expect(bins[1]?.confidence).toBeCloseTo(0.9, 12);
  expect(bins[1]?.success).toBe(0.5);
});

test("fewer predictions than bins give one bin each, and none at all is refused", () => {
  expect(reliability(predictions(0.5, 1, 3)).bins).toHaveLength(3);
  expect(() => reliability([])).toThrow("without predictions");
  expect(() => isotonicFit([])).toThrow("without predictions");
});

test("the isotonic fit never falls, and joins steps that would", () => {
  const data = [
    ...predictions(0.2, 0.1),
    ...predictions(0.4, 0.6),
    ...predictions(0.6, 0.4),
    ...predictions(0.9, 0.8),
  ];
  const map = isotonicFit(data);
  const rounded = map.map(([x, y]) => [x.toFixed(6), y.toFixed(6)]);
  expect(rounded).toEqual([
    ["0.200000", "0.100000"],
    ["0.500000", "0.500000"],
    ["0.900000", "0.800000"],
  ]);
  const mapped = data.map((one) => ({ ...one, confidence: calibrated(map, one.confidence) }));
  expect(reliability(mapped, 4).error).toBeLessThan(reliability(data, 4).error);
});

test("a calibrated confidence lies on the lines between the points and stays flat beyond them", () => {
  const map = [
    [0.2, 0.1],
    [0.6, 0.5],
  ] as const;
  expect([0, 0.2, 0.4, 0.6, 1].map((x) => calibrated(map, x).toFixed(6))).toEqual([
    "0.100000",
    "0.100000",
    "0.300000",
    "0.500000",
    "0.500000",
  ]);
});
