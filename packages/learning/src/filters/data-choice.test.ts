import { mulberry32 } from "@waggle/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { expectClose } from "../close.fixture.ts";
import { answerableOnly } from "./answerable.ts";
import { showingBehaviors } from "./behaviors.ts";
import { cleaned } from "./clean.ts";
import { rehearsalWeights } from "./collateral.ts";
import { curatedWithin } from "./curated.ts";
import { mixedInRatio, mixtureCounts } from "./diversity-mix.ts";
import { highEntropySteps, maskToSteps, stepMeans } from "./step-choice.ts";
import { successesOnly } from "./successes.ts";
import { pairsByGap } from "./value-gap-pairs.ts";
import { verifiedOnly } from "./verified.ts";
import { agreedLabel } from "./vote.ts";

test("a check that could not run is not a failed check", () => {
  const { kept, dropped } = verifiedOnly([
    ["pass", "pass"],
    ["pass", "fail"],
    ["pass", "error"],
    [],
    ["error", "fail"],
  ]);
  expect(kept).toEqual([0]);
  expect([...dropped.values()]).toEqual([
    "failed-check",
    "check-broke",
    "unchecked",
    "failed-check",
  ]);
});

test("the shortest successes of each task are kept, up to a limit", () => {
  const rewards = [1, 1, 0, 1, 0.5];
  const tasks = ["a", "a", "a", "b", "b"];
  expect(successesOnly(rewards, tasks).kept).toEqual([0, 1, 3]);
  expect(successesOnly(rewards, tasks, { perTask: 1 }).kept).toEqual([0, 3]);
  const lengths = [9, 2, 1, 5, 5];
  expect(successesOnly(rewards, tasks, { perTask: 1, lengths }).kept).toEqual([1, 3]);
  expect(successesOnly(rewards, tasks, { threshold: 0.5 }).kept).toEqual([0, 1, 3, 4]);
});

test("ratios are exact in whole numbers for any total", () => {
  expect(mixtureCounts(10, { agent: 1, general: 4 })).toEqual({ agent: 2, general: 8 });
  fc.assert(
    fc.property(
      fc.nat(200),
      fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 5 }),
      (total, shares) => {
        fc.pre(shares.some((share) => share > 0));
        const sum = shares.reduce((a, b) => a + b, 0);
        const counts = mixtureCounts(
          total,
          Object.fromEntries(shares.map((share, i) => [`s${i}`, share])),
        );
        expect(Object.values(counts).reduce((a, b) => a + b, 0)).toBe(total);
        for (const [i, share] of shares.entries()) {
          expect(Math.abs(counts[`s${i}`]! - (total * share) / sum)).toBeLessThan(1);
        }
      },
    ),
  );
  expect(() => mixtureCounts(3, { a: 0 })).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT" }),
  );
});

test("a mixture reports missing items and takes no item twice", () => {
  const labels = ["a", "b", "b", "b", "c"];
  const { kept, missing } = mixedInRatio(labels, { a: 1, b: 1 }, 4, mulberry32(2));
  expect(kept).toContain(0);
  expect(kept).toHaveLength(3);
  expect(missing).toEqual({ a: 1 });
});

const spans = [
  { start: 1, end: 3 },
  { start: 4, end: 6 },
];
const lossMask = [false, true, true, false, true, false];

test("only the selected steps carry loss, and tokens without loss stay without", () => {
  expect(maskToSteps(lossMask, spans, (step) => step === 1)).toEqual([
    false,
    false,
    false,
    false,
    true,
    false,
  ]);
  expect(maskToSteps(lossMask, spans, () => true)).toEqual(lossMask);
});

test("steps above an entropy quantile of the whole batch are selected", () => {
  expect(
    highEntropySteps(
      [
        [0.1, 0.9],
        [0.5, 0.7, 0.3],
      ],
      0.5,
    ),
  ).toEqual([
    [false, true],
    [true, true, false],
  ]);
  expect(highEntropySteps([[0.1, 0.9]], 0)).toEqual([[true, true]]);
  expectClose(stepMeans([9, 1, 3, 9, 5, 9], lossMask, spans), [2, 5]);
});

test("a pair is made only beyond the margin, within one key", () => {
  const values = [1, 0.2, 0.9, 0, 0.05];
  const keys = ["a", "a", "a", "b", "b"];
  expect(pairsByGap(values, keys, 0.3)).toEqual([{ chosen: 0, rejected: 1, gap: 0.8 }]);
  expect(
    pairsByGap(values, keys, 0.3, "all").map(({ chosen, rejected }) => [chosen, rejected]),
  ).toEqual([
    [0, 1],
    [2, 1],
  ]);
  expect(() => pairsByGap(values, keys, 0)).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT" }),
  );
});

test("a small set prefers new coverage over repetition, within its budget", () => {
  const candidates = [
    { quality: 1, tags: ["search"] },
    { quality: 0.9, tags: ["search"] },
    { quality: 0.1, tags: ["book", "pay"] },
    { quality: 0.5, tags: ["cancel"], cost: 5 },
  ];
  expect(curatedWithin(candidates, 2).kept).toEqual([0, 2]);
  expect(curatedWithin(candidates, 8).kept).toEqual([0, 1, 2, 3]);
});

test("malformed items and near copies are dropped, the first copy stays", () => {
  const texts = [
    "book a table for two at noon please",
    "book a table for two at noon, please!",
    "{",
    "cancel the order of yesterday",
  ];
  const { kept, dropped } = cleaned(texts, {
    faultOf: (text) => (text.startsWith("{") ? "not-parsed" : null),
    textOf: (text) => text,
  });
  expect(kept).toEqual([0, 3]);
  expect([...dropped]).toEqual([
    [1, "duplicate"],
    [2, "not-parsed"],
  ]);
});

test("a label needs enough agreeing judges; an abstention is no vote, and a tie gives no label", () => {
  expect(agreedLabel(["a", "a", "b"])).toEqual({ label: "a", share: 2 / 3 });
  expect(agreedLabel(["a", "b", null]).label).toBeNull();
  expect(agreedLabel(["a", null, null]).label).toBeNull();
  expect(agreedLabel([null])).toEqual({ label: null, share: 0 });
});

test("a proposal counts only if its evidence contains the answer and its question does not", () => {
  const fine = {
    question: "Who built it?",
    answer: "Eiffel",
    solvedWithEvidence: 1,
    solvedWithout: 0.1,
  };
  const { kept, dropped } = answerableOnly([
    fine,
    { ...fine, question: "Did Eiffel build it?" },
    { ...fine, solvedWithEvidence: 0 },
    { ...fine, solvedWithout: 1 },
    { ...fine, answer: " " },
  ]);
  expect(kept).toEqual([0]);
  expect([...dropped.values()]).toEqual([
    "answer-quoted",
    "not-answerable",
    "needs-no-evidence",
    "no-answer",
  ]);
});

test("demonstrations are selected by behavior, not by outcome", () => {
  const shown = [["verifies", "recovers"], ["verifies"], ["verifies", "recovers", "guesses"]];
  expect(showingBehaviors(shown, ["verifies", "recovers"], 2).kept).toEqual([0, 2]);
  expect(showingBehaviors(shown, ["verifies", "recovers"], 2, ["guesses"]).kept).toEqual([0]);
});

test("rehearsal follows the damage: clusters that turned wrong get more weight", () => {
  const weights = rehearsalWeights(
    [true, true, true, true, false],
    [false, false, true, null, true],
    ["a", "a", "b", "b", "b"],
  );
  // Cluster a: 2 of 2 turned, (2 + 1)/4; cluster b: 0 of 1, 1/3.
  const sum = 2 * 0.75 + 3 * (1 / 3);
  expectClose(
    weights,
    [0.75, 0.75, 1 / 3, 1 / 3, 1 / 3].map((rate) => rate / sum),
  );
});
