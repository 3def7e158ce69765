import fc from "fast-check";
import { expect, test } from "vitest";
import { comparisonRefusal } from "./comparison-gate.ts";

const GATE = { minTasks: 64, margin: 0.03, significance: 0.05 };
const decide = (counts: Partial<Parameters<typeof comparisonRefusal>[0]>) =>
  comparisonRefusal({ requests: 100, judged: 100, better: 0, worse: 0, ...counts }, GATE);

test("a candidate whose answers are better passes, and one whose answers are worse does not", () => {
  expect(decide({ better: 30, worse: 10 })).toBeNull();
  expect(decide({ better: 10, worse: 30 })).toBe(
    "its answers were better at 10 and worse at 30 of 100 requests",
  );
});

test("a few worse answers are noise within the margin, unless the sign test finds a fall", () => {
  expect(decide({ better: 10, worse: 13 })).toBeNull();
  expect(decide({ better: 10, worse: 14 })).not.toBeNull();
  const many = { requests: 1000, judged: 1000 };
  expect(decide({ ...many, better: 10, worse: 40 })).not.toBeNull();
  expect(decide({ ...many, better: 400, worse: 430 })).toBeNull();
});

test("abstentions are no verdicts, and a judge that prefers nothing lets nothing pass", () => {
  expect(decide({ judged: 0 })).toMatch(/answers to 0 requests were compared; .* at least 64/);
  expect(decide({ judged: 63, better: 60 })).toMatch(/at least 64/);
  expect(decide({ requests: 200, judged: 99, better: 60 })).toMatch(/only 99 of 200 .* needs 100/);
  expect(decide({})).toMatch(/preferred neither version at any of 100 requests/);
});

test("counts that contradict each other are refused", () => {
  for (const wrong of [{ judged: 101 }, { better: 60, worse: 41 }]) {
    expect(decide({ better: 1, ...wrong })).toMatch(/contradict each other/);
  }
});

test("an additional better answer never refuses a candidate, and an additional worse one never lets it pass", () => {
  const share = fc.integer({ min: 0, max: 99 });
  const passes = (better: number, worse: number) => decide({ better, worse }) === null;
  fc.assert(
    fc.property(share, share, (better, rest) => {
      const worse = Math.min(rest, 99 - better);
      // Without any preference, nothing passes.
      fc.pre(better + worse > 0);
      expect(passes(better, worse) && !passes(better + 1, worse)).toBe(false);
      expect(!passes(better, worse) && passes(better, worse + 1)).toBe(false);
    }),
  );
});
