import { describe, expect, test } from "vitest";
import { type Evidence, isBadNetwork, RELEASED_RECORDS, reputationWeight } from "./reputation.ts";

const of = (verified: number, forged = 0, dropped = 0): Evidence => ({
  verified,
  forged,
  dropped,
});
const NONE = of(0);

test("a visitor without a record has the weight of one with verified work", () => {
  expect(reputationWeight(NONE, NONE)).toBe(1);
  expect(reputationWeight(of(50), of(1000))).toBe(1);
});

test("forged records lead to quarantine, and verified work ends it", () => {
  // (3 + 9) / (4 + 9 + 12) = 0.48
  expect(reputationWeight(of(9, 1), NONE)).toBe(0);
  // (3 + 10) / (4 + 10 + 12) = 0.5, as a share of 0.75.
  expect(reputationWeight(of(10, 1), NONE)).toBeCloseTo(0.5 / 0.75, 12);
  expect(reputationWeight(of(21, 2), NONE)).toBe(0);
  expect(reputationWeight(of(22, 2), NONE)).toBeCloseTo(25 / 50 / 0.75, 12);
});

test("one false alarm costs nothing after 36 verified records", () => {
  expect(reputationWeight(of(35, 1), NONE)).toBeLessThan(1);
  expect(reputationWeight(of(36, 1), NONE)).toBe(1);
});

test("a visitor of whose records one in ten is caught is in quarantine from the first one on", () => {
  for (let n = 1; n <= 20; n += 1) expect(reputationWeight(of(9 * n, n), NONE)).toBe(0);
});

describe("people who close tabs", () => {
  test("are never in quarantine, whatever they leave unanswered", () => {
    for (const verified of [0, 1, 10]) {
      for (const dropped of [1, 10, 1000]) {
        expect(reputationWeight(of(verified, 0, dropped), NONE)).toBeGreaterThanOrEqual(2 / 3);
      }
    }
  });

  test("lose nothing while they finish three of seven tasks", () => {
    expect(reputationWeight(of(30, 0, 40), NONE)).toBe(1);
    // Who drops nine of ten rollouts to upload the best has the least weight that dropping can give.
    expect(reputationWeight(of(30, 0, 270), NONE)).toBeCloseTo(2 / 3, 12);
  });
});

describe("networks", () => {
  test("become bad by forged records only, relative to the verified ones", () => {
    expect(isBadNetwork(of(0, 2))).toBe(false);
    expect(isBadNetwork(of(0, 3))).toBe(true);
    expect(isBadNetwork(of(100, 30))).toBe(false);
    expect(isBadNetwork(of(0, 0, 1000))).toBe(false);
  });

  test("a new name on a bad network is in quarantine, and an old visitor is not", () => {
    const bad = of(10, 10);
    expect(reputationWeight(NONE, bad)).toBe(0);
    expect(reputationWeight(of(2), bad)).toBeGreaterThan(0);
    expect(reputationWeight(of(100), of(110, 40))).toBe(1);
  });

  test("a visitor's own records do not count again for the network", () => {
    expect(reputationWeight(of(1, 1), of(1, 1))).toBe(reputationWeight(of(1, 1), NONE));
    expect(reputationWeight(of(1, 1), of(1, 4))).toBe(0);
  });

  test("no network makes a visitor better than one without a record", () => {
    expect(reputationWeight(of(0, 1), of(100_000))).toBe(0);
  });

  test("a released visitor has a weight on every network", () => {
    expect(reputationWeight(of(RELEASED_RECORDS), of(0, 1e9))).toBeGreaterThan(0);
  });
});
