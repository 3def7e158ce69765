import { expect, test } from "vitest";
import { pairedDifference } from "./paired-difference.ts";
import {
  fallRefusal,
  gateRefusal,
  type PairedCounts,
  readabilityRefusal,
} from "./promotion-gate.ts";

const GATE = { minTasks: 100, margin: 0.05, significance: 0.1 };

/** Counts of 100 tasks that agree with each other; `both` were solved by both versions. */
function counts(both: number, gained: number, lost: number, tasks = 100): PairedCounts {
  return { tasks, successes: both + gained, stableSuccesses: both + lost, gained, lost };
}

test.each<[string, PairedCounts]>([
  ["a candidate that solves more", counts(40, 20, 10)],
  ["a candidate that solves the same tasks", counts(40, 0, 0)],
  ["a candidate that solves everything", counts(100, 0, 0)],
  ["a candidate that is the first to solve anything", counts(0, 1, 0)],
  ["a fall as large as the margin that chance explains", counts(40, 10, 15)],
  ["more tasks than needed", counts(40, 0, 0, 101)],
])("%s may be promoted", (_, given) => {
  expect(gateRefusal(given, GATE)).toBeNull();
});

test.each<[string, PairedCounts, RegExp]>([
  ["too few tasks", counts(40, 0, 0, 99), /99 tasks.* at least 100/],
  ["versions that solve nothing", counts(0, 0, 0), /neither version solved any of the 100 tasks/],
  ["a candidate that solves nothing", counts(0, 0, 2), /solved none of the 100 .* solved 2/],
  ["a fall beyond the margin", counts(40, 10, 16), /fell by 0\.060; the gate allows 0\.05/],
  // 2 · P(X ≤ 0) of Binomial(5, ½) = 1/16.
  [
    "a small fall that chance does not explain",
    counts(40, 0, 5),
    /0\.050 with p = 0\.0625;.* 0\.1/,
  ],
])("%s is refused with the reason", (_, given, reason) => {
  expect(gateRefusal(given, GATE)).toMatch(reason);
});

test.each<[string, Partial<PairedCounts>]>([
  ["more tasks gained than solved", { successes: 0, stableSuccesses: 10, gained: 1, lost: 11 }],
  ["stable successes that are not those of both and the lost", { stableSuccesses: 41 }],
  ["more outcomes than tasks", { successes: 95, gained: 10, lost: 10, stableSuccesses: 95 }],
])("counts with %s contradict each other", (_, wrong) => {
  expect(gateRefusal({ ...counts(40, 0, 0), ...wrong }, GATE)).toMatch(/contradict each other/);
});

test("a significant gain is not refused", () => {
  expect(gateRefusal(counts(10, 80, 0), GATE)).toBeNull();
});

test("a p-value at the limit is not below it", () => {
  // 2 · P(X ≤ 0) of Binomial(4, ½) = 1/8.
  expect(gateRefusal(counts(40, 0, 4), { ...GATE, significance: 0.125 })).toBeNull();
});

/**
 * `gained` tasks solved only by the candidate, `lost` only by the stable version, `both` by both.
 */
function outcomesOf(gained: number, lost: number, both: number): [boolean[], boolean[]] {
  const candidate = [
    ...Array.from({ length: gained }, () => true),
    ...Array.from({ length: lost }, () => false),
    ...Array.from({ length: both }, () => true),
  ];
  const stable = candidate.map((success, i) => (i < gained + lost ? !success : true));
  return [candidate, stable];
}

test.each([
  ["better", 10, 2, 88, true],
  ["equal", 5, 5, 90, true],
  ["worse by no more than the margin", 5, 7, 88, true],
  ["worse by more than the margin, though not significantly", 5, 8, 87, false],
  ["significantly worse", 0, 6, 994, false],
])(
  "without the gate's other conditions, a candidate that is %s: %i gained, %i lost",
  (_, gained, lost, both, promotes) => {
    const [candidate, stable] = outcomesOf(gained, lost, both);
    const refusal = fallRefusal(pairedDifference(stable, candidate), {
      margin: 0.02,
      significance: 0.05,
    });
    expect(refusal === null).toBe(promotes);
  },
);

test.each<
  [string, tasks: number, newlyUnreadable: number, newlyReadable: number, promotes: boolean]
>([
  ["4 of 128, which chance explains", 128, 4, 0, true],
  ["8 of 128, of which the stable version had as many elsewhere", 128, 8, 7, true],
  ["6 of 128, which chance does not explain", 128, 6, 0, false],
  ["half of the tasks", 128, 64, 0, false],
  ["5 of 16: too few to be significant, but more than the margin", 16, 5, 0, false],
])("unreadable turns in %s", (_, tasks, lost, gained, promotes) => {
  const noChange = { gained: 3, lost: 3 };
  expect(readabilityRefusal({ tasks, gained, lost }, noChange) === null).toBe(promotes);
});

test.each<[string, unreadable: number, gained: number, lost: number, promotes: boolean]>([
  ["24 more tasks of 128 are solved", 9, 34, 10, true],
  ["24 more are solved, but the margin is exceeded", 14, 34, 10, false],
  ["2 more are solved, which chance explains", 9, 12, 10, false],
  ["24 fewer are solved", 9, 10, 34, false],
])("unreadable turns where %s", (_, unreadable, gained, lost, promotes) => {
  const readable = { tasks: 128, gained: 0, lost: unreadable };
  expect(readabilityRefusal(readable, { gained, lost }) === null).toBe(promotes);
});
