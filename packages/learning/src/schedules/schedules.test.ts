import fc from "fast-check";
import { expect, test } from "vitest";
import { expectClose } from "../close.fixture.ts";
import { phaseAt, rolesAt } from "./alternation.ts";
import { budgetSweep, splitBudget } from "./budget-split.ts";
import {
  difficultyDial,
  type DifficultyState,
  firstDifficulty,
  nextDifficulty,
} from "./difficulty-curriculum.ts";
import { evenHorizons, maxTurnsAt } from "./horizon-curriculum.ts";
import { stageMask } from "./mask-stages.ts";
import { annealedAt, annealedWeights } from "./progress-curve.ts";
import { flywheelRound } from "./task-flywheel.ts";
import { entropyAt, nextTemperature, temperatureForEntropy } from "./temperature-target.ts";

test("annealing has exact values at both ends and nothing between for a step", () => {
  const fade = { from: 0.3, to: 0.1, begin: 2, end: 5 };
  expectClose(
    [0, 2, 3, 4].map((step) => annealedAt(fade, step)),
    [0.3, 0.3, 0.3 - 0.2 / 3, 0.3 - 0.4 / 3],
  );
  expect([5, 99].map((step) => annealedAt(fade, step))).toEqual([0.1, 0.1]);
  expect([4, 5].map((step) => annealedAt({ ...fade, curve: "step" }, step))).toEqual([0.3, 0.1]);
  expect(annealedAt({ ...fade, begin: 0, end: 4, curve: "cosine" }, 2)).toBeCloseTo(0.2, 12);
});

test("annealing is monotone and stays between its ends", () => {
  fc.assert(
    fc.property(
      fc.double({ min: -2, max: 2, noNaN: true }),
      fc.double({ min: -2, max: 2, noNaN: true }),
      fc.constantFrom("linear" as const, "cosine" as const, "step" as const),
      (from, to, curve) => {
        const values = Array.from({ length: 12 }, (_, step) =>
          annealedAt({ from, to, begin: 1, end: 9, curve }, step),
        );
        const sign = Math.sign(to - from);
        for (let i = 1; i < values.length; i += 1) {
          expect((values[i]! - values[i - 1]!) * sign).toBeGreaterThanOrEqual(-1e-12);
        }
        expect([values[0], values.at(-1)]).toEqual([from, to]);
      },
    ),
  );
});

test("weights switched off are their last ones from the start", () => {
  const weights = { bonus: { from: 1, to: 0, begin: 0, end: 10 } };
  expect(annealedWeights(weights, 5)).toEqual({ bonus: 0.5 });
  expect(annealedWeights(weights, 5, false)).toEqual({ bonus: 0 });
});

test("the horizon widens by schedule, ends exactly, and can be switched off", () => {
  const horizons = evenHorizons(2, 8, 3, 100);
  expect(horizons).toEqual([
    { fromStep: 0, maxTurns: 2 },
    { fromStep: 50, maxTurns: 5 },
    { fromStep: 100, maxTurns: 8 },
  ]);
  expect([0, 49, 50, 99, 100, 500].map((step) => maxTurnsAt(horizons, step))).toEqual([
    2, 2, 5, 5, 8, 8,
  ]);
  expect(maxTurnsAt(horizons, 0, false)).toBe(8);
  expect(evenHorizons(2, 8, 1, 100)).toEqual([{ fromStep: 0, maxTurns: 8 }]);
});

test.each([
  ["none", []],
  ["a late start", [{ fromStep: 1, maxTurns: 2 }]],
  [
    "a horizon that shrinks",
    [
      { fromStep: 0, maxTurns: 4 },
      { fromStep: 5, maxTurns: 2 },
    ],
  ],
])("%s is refused as horizons", (_, horizons) => {
  expect(() => maxTurnsAt(horizons, 0)).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT" }),
  );
});

test("level 1 comes before level 2, on a full window only, and falls back when it is not held", () => {
  const rule = { levels: 3, riseAt: 0.7, fallAt: 0.2, window: 4 };
  const levels: number[] = [];
  let state: DifficultyState = firstDifficulty(rule);
  for (const rewards of [[1, 1, 1], [1], [1, 1, 1, 0], [0, 0, 0, 0]]) {
    state = nextDifficulty(rule, state, rewards);
    levels.push(state.level);
  }
  expect(levels).toEqual([0, 1, 2, 1]);
  expect(difficultyDial(rule, state)).toBe(0.5);
  expect(firstDifficulty(rule, false).level).toBe(2);
  const top = nextDifficulty(rule, { level: 2, recent: [] }, [1, 1, 1, 1, 1]);
  expect(top).toEqual({ level: 2, recent: [1, 1, 1, 1] });
});

const logits = [
  [2, 0, 0, 0],
  [0, 1, 3, 0],
];

test("the entropy of a temperature is that of its softmax, summed out", () => {
  const slow = (row: readonly number[], temperature: number) => {
    const weights = row.map((z) => Math.exp(z / temperature));
    const sum = weights.reduce((a, b) => a + b, 0);
    return -weights.reduce((total, w) => total + (w / sum) * Math.log(w / sum), 0);
  };
  for (const temperature of [0.3, 1, 1.7]) {
    const expected = logits.reduce((sum, row) => sum + slow(row, temperature), 0) / logits.length;
    expect(entropyAt(logits, temperature)).toBeCloseTo(expected, 12);
  }
  expect(entropyAt([[1000, 0]], 1)).toBeCloseTo(0, 12);
});

test("the temperature lands on the entropy target, solved or controlled", () => {
  const entropyOf = (temperature: number) => entropyAt(logits, temperature);
  const solved = temperatureForEntropy(entropyOf, 0.3);
  expect(entropyOf(solved)).toBeCloseTo(0.3, 9);
  const control = { target: 0.3, gain: 0.5, least: 0.2, most: 2 };
  let temperature = 1.5;
  for (let i = 0; i < 200; i += 1) {
    temperature = nextTemperature(control, temperature, entropyOf(temperature));
  }
  expect(temperature).toBeCloseTo(solved, 6);
  expect(temperatureForEntropy(entropyOf, 99)).toBe(2);
  expect(temperatureForEntropy(entropyOf, 0)).toBe(0.2);
  expect(() => nextTemperature(control, 1, Number.NaN)).toThrow(
    expect.objectContaining({ code: "NON_FINITE_VALUE" }),
  );
});

test("every share of the budget costs the same", () => {
  const sweep = budgetSweep(101, 5);
  expect(sweep.map(({ share }) => share)).toEqual([0, 0.25, 0.5, 0.75, 1]);
  expect(sweep.every(({ supervised, reinforced }) => supervised + reinforced === 101)).toBe(true);
  expect(splitBudget(100, 0.5, 5)).toEqual({ share: 0.5, supervised: 10, reinforced: 50 });
});

test("phases alternate for their steps; roles swap every k updates", () => {
  const phases = [
    { name: "prm", steps: 1 },
    { name: "policy", steps: 2 },
  ] as const;
  expect([0, 1, 2, 3, 4, 5, 6].map((step) => phaseAt(phases, step))).toEqual([
    "prm",
    "policy",
    "policy",
    "prm",
    "policy",
    "policy",
    "prm",
  ]);
  expect(() => phaseAt([], 0)).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
  const roles = (step: number) => rolesAt(["x", "y"], ["pioneer", "observer"], step, 10).x;
  expect([0, 9, 10, 19, 20].map(roles)).toEqual([
    "pioneer",
    "pioneer",
    "observer",
    "observer",
    "pioneer",
  ]);
});

test("masks change by stage: follow plans, then make them, then both", () => {
  const stages = [
    { fromStep: 0, learned: ["act"] },
    { fromStep: 10, learned: ["plan"] },
    { fromStep: 20, learned: ["plan", "act"] },
  ] as const;
  const kinds = ["plan", "act", null, "plan"] as const;
  const masks = [9, 10, 25].map((step) =>
    stageMask(stages, step, kinds, [true, true, true, false]),
  );
  expect(masks).toEqual([
    [false, true, false, false],
    [true, false, false, false],
    [true, true, false, false],
  ]);
  expect(() => stageMask(stages.slice(1), 0, kinds, [true])).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT" }),
  );
});

test("the flywheel hardens what is solved, branches what failed, keeps the frontier", () => {
  const rule = { mostGenerations: 2, copies: 3 };
  expect(
    flywheelRound(
      [
        { id: "solved", passRate: 0.9, generation: 0 },
        { id: "frontier", passRate: 0.5, generation: 1 },
        { id: "failed", passRate: 0.1, generation: 2 },
        { id: "done", passRate: 1, generation: 2 },
        { id: "hopeless", passRate: 0, generation: 2 },
      ],
      rule,
    ),
  ).toEqual([
    { kind: "harden", id: "solved", generation: 1 },
    { kind: "keep", id: "frontier" },
    { kind: "branch", id: "failed", copies: 3 },
    { kind: "retire", id: "done" },
    { kind: "retire", id: "hopeless" },
  ]);
});
