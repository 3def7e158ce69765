import { expect, test } from "vitest";
import { successRate } from "./success-rate.ts";

test("the interval ends at exactly 0 without a success, and at exactly 1 without a failure", () => {
  for (let trials = 1; trials <= 200; trials += 1) {
    const of = (value: boolean) => successRate(Array.from({ length: trials }, () => value));
    expect(of(false).interval.low).toBe(0);
    expect(of(true).interval.high).toBe(1);
  }
});
