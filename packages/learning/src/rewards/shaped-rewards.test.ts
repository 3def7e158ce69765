import fc from "fast-check";
import { expect, test } from "vitest";
import { expectClose } from "../close.fixture.ts";
import golden from "../golden/advantages.json" with { type: "json" };
import { checklistRewards, isEvidence } from "./checklist.ts";
import { componentOf, tieredReward } from "./combinators.ts";
import { economyReward, usageCost } from "./economy.ts";
import { toolCallBonus } from "./exploration-bonus.ts";
import { frontierReward } from "./frontier.ts";
import { implicitProcessRewards } from "./implicit-process.ts";
import { informationGains } from "./information-gain.ts";
import { overlongPenalty } from "./length-shaping.ts";
import { scalarized } from "./multi-dimensional.ts";
import { redistributedRewards } from "./redistribute.ts";
import { teamReward, zeroSumReward } from "./team-reward.ts";

const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);

test("an unjudged component makes the total unavailable, not 0", () => {
  const components = { answer: 0.5, judge: null, broken: Number.NaN };
  expect(componentOf(components, "answer")).toBe(0.5);
  for (const [name, code] of [
    ["judge", "REWARD_UNAVAILABLE"],
    ["broken", "NON_FINITE_REWARD"],
    ["toString", "INVALID_ARGUMENT"],
  ] as const) {
    expect(() => componentOf(components, name)).toThrow(expect.objectContaining({ code }));
  }
});

test("tier 1 failing zeroes the tiers below it", () => {
  const tiers = (first: number, second: number) => [
    { reward: first, weight: 1 },
    { reward: second, weight: 2, passesAt: 0.5 },
    { reward: 1, weight: 4 },
  ];
  expect(tieredReward(tiers(1, 1))).toBe(7);
  expect(tieredReward(tiers(1, 0.5))).toBe(6);
  expect(tieredReward(tiers(1, 0.4))).toBe(1.8);
  expect(tieredReward(tiers(0, 1))).toBe(0);
});

test("the four economy switches", () => {
  const cost = usageCost(
    { toolCalls: 3, turns: 2, byTool: { search: 2, open: 1 } },
    { toolCall: 0.01, byTool: { search: 0.1 } },
  );
  expect(cost).toBeCloseTo(0.23, 12);
  const right = { reward: 1, success: true };
  const wrong = { reward: 0, success: false };
  expect(economyReward(right, cost, { kind: "scalar" })).toBeCloseTo(0.77, 12);
  expect(economyReward(wrong, 0, { kind: "scalar" })).toBe(0);
  const gated = { kind: "gated", allowance: 0.5 } as const;
  expect(economyReward(right, cost, gated)).toBeCloseTo(1.27, 12);
  expect(economyReward(right, 9, gated)).toBe(1);
  expect(economyReward(wrong, 0, gated)).toBe(0);
  for (const kind of ["decoupled", "paired"] as const) {
    expect(economyReward(right, cost, { kind })).toBe(1);
  }
  expect(() => usageCost({ turns: -1 }, {})).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT" }),
  );
});

test("a team shares one reward; in a zero-sum game one side's gain is the other's loss", () => {
  expect(teamReward([1, 0], "mean")).toEqual([0.5, 0.5]);
  expect(teamReward([1, 0], "sum")).toEqual([1, 1]);
  expect(teamReward([1, 0], "worst")).toEqual([0, 0]);
  expect(teamReward([1, 0], "best")).toEqual([1, 1]);
  expect(sum(zeroSumReward([3, 1]))).toBe(0);
});

test("a proposer earns most at even odds, and nothing at 0, at 1 or for an unanswerable task", () => {
  expect([0, 0.5, 1].map((p) => frontierReward(p))).toEqual([0, 1, 0]);
  expect(frontierReward(0.5, false)).toBe(0);
  expect(() => frontierReward(1.1)).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
});

test("contributions keep their differences and sum to the outcome for any estimate", () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0.1, max: 2, noNaN: true }), { minLength: 1, maxLength: 9 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (contributions, outcome) => {
        const rewards = redistributedRewards(outcome, contributions);
        expect(sum(rewards)).toBeCloseTo(outcome, 9);
        const shift = rewards[0]! - contributions[0]!;
        expectClose(
          rewards,
          contributions.map((contribution) => contribution + shift),
          9,
        );
      },
    ),
  );
  expectClose(redistributedRewards(1, [0.1, 0.7, 0.2]), [0.1, 0.7, 0.2]);
  expect(redistributedRewards(1, [0, 0])).toEqual([0, 1]);
});

test("scripted probabilities give turn rewards that sum to the end-to-start difference", () => {
  const logProbs = [0.1, 0.1, 0.4, 0.9].map(Math.log);
  const gains = informationGains(logProbs);
  expect(gains[0]).toBe(0);
  expect(sum(gains)).toBeCloseTo(Math.log(9), 12);
  expect(informationGains(logProbs, 1)[1]).toBe(1);
});

test("an implicit process reward is β times the log-ratio of a step's own tokens", () => {
  const rewards = implicitProcessRewards(
    [-1, -9, -2, -3],
    [-2, -1, -2.5, -1],
    [
      { start: 0, end: 1 },
      { start: 2, end: 4 },
    ],
    0.1,
  );
  expectClose(rewards, [0.1, -0.15]);
  expectClose(implicitProcessRewards([-1], [-1], [{ start: 0, end: 1 }], 5), [0]);
});

const criteria = [
  { name: "asked", turn: 0 },
  { name: "booked", turn: 1, weight: 2, after: ["asked"] },
];
const met = (name: string, evidence: string) => ({ name, verdict: "met", evidence }) as const;

test("a criterion without valid evidence counts as failed, and so do its children", () => {
  const transcript = "Which day? Booked for Monday.";
  const both = [met("asked", "Which day?"), met("booked", "Booked")];
  expectClose(checklistRewards(criteria, both, transcript, 3), [0, 0, 1]);
  expectClose(checklistRewards(criteria, both, transcript, 3, "turn"), [1 / 3, 2 / 3, 0]);
  const invented = [met("asked", "What day?"), met("booked", "Booked")];
  expectClose(checklistRewards(criteria, invented, transcript, 3), [0, 0, 0]);
  expect(isEvidence(" ", "a b")).toBe(false);
});

test("a skipped criterion leaves the checklist; an unjudged one makes it unavailable", () => {
  const skipped = { name: "booked", verdict: "skipped" } as const;
  expectClose(checklistRewards(criteria, [met("asked", "day"), skipped], "day", 2), [0, 1]);
  const unjudged = { name: "asked", verdict: "unjudged" } as const;
  expect(() => checklistRewards(criteria, [unjudged, skipped], "", 2)).toThrow(
    expect.objectContaining({ code: "REWARD_UNAVAILABLE" }),
  );
  expect(() => checklistRewards(criteria, [skipped], "", 2)).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT" }),
  );
});

test("overlong shaping agrees with the reference values", () => {
  for (const [length, expected] of Object.entries(golden.overlong)) {
    expect(overlongPenalty(Number(length), { limit: 100, buffer: 20 })).toBeCloseTo(expected, 12);
  }
  expect(overlongPenalty(500, { limit: 100, buffer: 20, factor: 0.5 })).toBe(-0.5);
});

test("a vector is weighted component by component", () => {
  expect(scalarized([1, 2], [1, -0.5])).toBe(0);
});

test("an exploration bonus saturates and falls to 0 with its weight", () => {
  expect([0, 1, 2, 9].map((calls) => toolCallBonus(calls, 0.4, 2))).toEqual([0, 0.2, 0.4, 0.4]);
  expect(toolCallBonus(3, 0)).toBe(0);
});
