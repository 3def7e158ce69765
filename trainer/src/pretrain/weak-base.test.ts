import { successRate } from "@waggle/evaluation";
import { expect, test } from "vitest";
import { needsWordings } from "./weak-base.ts";

const rate = (successes: number, trials: number) =>
  successRate(Array.from({ length: trials }, (_, i) => i < successes));
const success = (sampled: number, greedy: number, trials: number) => ({
  sampled: rate(sampled, trials),
  greedy: rate(greedy, trials),
});

test("a base needs more wordings if it solves less than half as many with unseen ones, sampled or greedily", () => {
  const all = success(20, 40, 100);
  expect(needsWordings(success(5, 10, 50), all)).toBe(false);
  expect(needsWordings(success(4, 10, 50), all)).toBe(true);
  expect(needsWordings(success(5, 9, 50), all)).toBe(true);
  // Too few tasks to say so.
  expect(needsWordings(success(0, 0, 19), all)).toBe(false);
});
