/** The gap between kept sets, on probabilities 0.4, 0.3, 0.2, 0.1, computed by hand. */
import { expect, test } from "vitest";
import { keptGap } from "./plain-distribution.ts";

const LOGITS = Float64Array.from([0.2, 0.4, 0.1, 0.3], Math.log);
const WARM = { temperature: 1, topK: 0, topP: 1 };

test("equal sets have no gap", () => {
  expect(keptGap(LOGITS, { ...WARM, topK: 2 }, null, [1, 3])).toBe(0);
  expect(keptGap(LOGITS, { ...WARM, topP: 0.69 }, null, [1, 3])).toBe(0);
});

test("for sets of equal size the gap is in nats between the exchanged ids", () => {
  const gap = keptGap(LOGITS, { ...WARM, topK: 2 }, null, [0, 1]);
  expect(gap).toBeCloseTo(Math.log(0.3 / 0.2), 12);
  const cold = { ...WARM, temperature: 0.5, topK: 2 };
  expect(keptGap(LOGITS, cold, null, [0, 1])).toBeCloseTo(2 * Math.log(0.3 / 0.2), 12);
});

test("for sets of different size the gap is in mass from top-p, and infinite without top-p", () => {
  const half = { ...WARM, topP: 0.69 };
  expect(keptGap(LOGITS, half, null, [0, 1, 3])).toBeCloseTo(0.01, 12); // 0.7 of mass before it
  expect(keptGap(LOGITS, half, null, [1])).toBeCloseTo(0.29, 12); // 0.4 of mass before the missing
  expect(keptGap(LOGITS, { ...WARM, topK: 2 }, null, [0, 1, 3])).toBe(Number.POSITIVE_INFINITY);
});

test("an id that the mask forbids has an infinite gap", () => {
  const allowed = Uint32Array.of(0b0111);
  expect(keptGap(LOGITS, { ...WARM, topK: 2 }, allowed, [1, 3])).toBe(Number.POSITIVE_INFINITY);
  expect(keptGap(LOGITS, { ...WARM, topK: 2 }, allowed, [0, 1])).toBe(0);
});
