/** What the trainer decides about a candidate from both versions' answers to requests of visitors. */
import type { PromotionGate } from "@waggle/protocol";
import { expect, test } from "vitest";
import { decidedWithoutTasks } from "./decision-without-tasks.ts";
import type { ComparedAnswers } from "./request-comparison.ts";

const GATE: PromotionGate = {
  minTasks: 64,
  margin: 0.03,
  significance: 0.05,
  hasEnvironment: false,
  hasRelease: true,
};

/** Answers to 128 requests, of which this many could not be read. */
function answers(
  unreadable: number,
  verdicts?: { judged: number; better: number; worse: number; turned?: number; requests?: number },
): ComparedAnswers {
  const { requests = 128, turned = 0, ...counts } = verdicts ?? { judged: 0, better: 0, worse: 0 };
  return {
    heldOut: [],
    readable: Array.from({ length: requests }, (_, i) => i >= unreadable),
    stableReadable: Array.from({ length: requests }, () => true),
    turned,
    ...(verdicts && { comparison: { requests, ...counts } }),
  };
}

const decided = (found: ComparedAnswers | undefined, gate: Partial<PromotionGate> = {}) =>
  decidedWithoutTasks({ stableVersion: 3 }, { ...GATE, ...gate }, found).decision;

test("without a judge, a candidate whose answers can be read goes to the release", () => {
  expect(decided(undefined)).toMatchObject({ verdict: "promote" });
  expect(decided(answers(0))).toMatchObject({ verdict: "promote" });
  expect(decided(answers(0), { hasRelease: false })).toMatchObject({ verdict: "undecided" });
});

test.each([
  [5, "promote"],
  [6, "roll-back"],
])("%i newly unreadable answers of 128: %s, as at frozen tasks", (unreadable, verdict) => {
  expect(decided(answers(unreadable))).toMatchObject({ verdict });
  const all = { judged: 128, better: 60, worse: 10 };
  expect(decided(answers(unreadable, all))).toMatchObject({ verdict });
});

test("readability is refused in words, and not from a few requests", () => {
  expect(decided(answers(20)).reason).toBe(
    "its answers to 108 of 128 requests could be read, the stable version's to 128",
  );
  const few = answers(19);
  const cut = (of: readonly boolean[]) => of.slice(0, 19);
  const nineteen = {
    ...few,
    readable: cut(few.readable),
    stableReadable: cut(few.stableReadable),
  };
  expect(decided(nineteen)).toMatchObject({ verdict: "promote" });
});

test.each<[string, NonNullable<Parameters<typeof answers>[1]>, string, RegExp]>([
  ["better answers", { judged: 100, better: 40, worse: 10 }, "promote", /^$/],
  ["equally good ones", { judged: 100, better: 20, worse: 20 }, "promote", /^$/],
  [
    "worse ones",
    { judged: 100, better: 10, worse: 40 },
    "roll-back",
    /better at 10 and worse at 40/,
  ],
  ["slightly worse ones", { judged: 100, better: 10, worse: 14 }, "roll-back", /worse at 14/],
  ["few requests", { requests: 63, judged: 63, better: 40, worse: 0 }, "undecided", /63 requests/],
  ["few verdicts", { judged: 63, better: 0, worse: 60 }, "undecided", /needs at least 64/],
  [
    "many abstentions",
    { requests: 300, judged: 120, better: 0, worse: 90 },
    "undecided",
    /only 120 of 300/,
  ],
  ["no preference", { judged: 128, better: 0, worse: 0 }, "undecided", /preferred neither/],
  [
    "preferences that turn with the order",
    { judged: 70, better: 40, worse: 10, turned: 40 },
    "undecided",
    /in both orders at 50 requests and another one at 40/,
  ],
  ["some that turn", { judged: 110, better: 40, worse: 10, turned: 15 }, "promote", /^$/],
])("%s", (_, verdicts, verdict, reason) => {
  for (const hasRelease of [true, false]) {
    const found = decided(answers(0, verdicts), { hasRelease });
    expect(found).toEqual({ verdict, reason: expect.stringMatching(reason) });
  }
});

test("the evaluation has the counts, and the state the digests", () => {
  const comparison = { requests: 128, judged: 100, better: 40, worse: 10 };
  const found = { ...answers(0, { judged: 100, better: 40, worse: 10 }), heldOut: ["a"] };
  expect(decidedWithoutTasks({ stableVersion: 3 }, GATE, found)).toMatchObject({
    evaluation: { tasks: 0, successes: 0, comparedWith: 3, comparison },
    kept: { heldOut: ["a"] },
  });
});
