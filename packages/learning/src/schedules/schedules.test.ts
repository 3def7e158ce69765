import fc from "fast-check";
import { expect, test } from "vitest";
import { expectClose } from "../close.fixture.ts";
import { evenHorizons, maxTurnsAt } from "./horizon-curriculum.ts";
import { annealedAt } from "./progress-curve.ts";
import { flywheelRound } from "./task-flywheel.ts";
import { nextTemperature } from "./temperature-target.ts";

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

test("the horizon grows by schedule and ends exactly", () => {
  const horizons = evenHorizons(2, 8, 3, 100);
  expect(horizons).toEqual([
    { fromStep: 0, maxTurns: 2 },
    { fromStep: 50, maxTurns: 5 },
    { fromStep: 100, maxTurns: 8 },
  ]);
  expect([0, 49, 50, 99, 100, 500].map((step) => maxTurnsAt(horizons, step))).toEqual([
    2, 2, 5, 5, 8, 8,
  ]);
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

const logits = [
  [2, 0, 0, 0],
  [0, 1, 3, 0],
];

/** Mean entropy of softmax(logits / temperature), summed out, nats. */
function entropyOf(temperature: number): number {
  const rows = logits.map((row) => {
    const weights = row.map((z) => Math.exp(z / temperature));
    const sum = weights.reduce((a, b) => a + b, 0);
    return -weights.reduce((total, w) => total + (w / sum) * Math.log(w / sum), 0);
  });
  return rows.reduce((sum, entropy) => sum + entropy, 0) / rows.length;
}

test("the temperature reaches the entropy target, or stops at its bounds", () => {
  const control = { target: 0.3, gain: 0.5, least: 0.2, most: 2 };
  const landed = (target: number): number => {
    let temperature = 1.5;
    for (let i = 0; i < 200; i += 1) {
      temperature = nextTemperature({ ...control, target }, temperature, entropyOf(temperature));
    }
    return temperature;
  };
  expect(entropyOf(landed(0.3))).toBeCloseTo(0.3, 6);
  expect(landed(99)).toBe(2);
  expect(landed(-1)).toBe(0.2);
  expect(() => nextTemperature(control, 1, Number.NaN)).toThrow(
    expect.objectContaining({ code: "NON_FINITE_VALUE" }),
  );
});

test("the flywheel makes solved tasks harder, adds variants of failed ones and keeps the frontier", () => {
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
