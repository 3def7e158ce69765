import fc from "fast-check";
import { expect, test } from "vitest";
import golden from "../../../../../test/golden/learning/learning.json" with { type: "json" };
import { truncatedImportanceWeights } from "../../corrections/importance-weights.ts";
import { clippedSurrogate } from "./clipped-surrogate.ts";
import type { ProximalBatch } from "./policy-loss.ts";

const lossMask = golden.inputs.lossMask.map((row) => row.map((m) => m === 1));

const batch: ProximalBatch = {
  lossMask,
  advantages: lossMask.map((row, b) => row.map(() => golden.inputs.advantages[b] ?? 0)),
  policyLogProbs: golden.inputs.policyLogProbs,
  proximalLogProbs: golden.inputs.proximalLogProbs,
};

const row = fc.array(
  fc.record({
    kept: fc.boolean(),
    advantage: fc.double({ min: -2, max: 2, noNaN: true }),
    policy: fc.double({ min: -4, max: 0, noNaN: true }),
    proximal: fc.double({ min: -4, max: 0, noNaN: true }),
    weight: fc.double({ min: 0, max: 2, noNaN: true }),
  }),
  { minLength: 1, maxLength: 6 },
);

const arbitraryBatch = fc.array(row, { minLength: 1, maxLength: 4 }).map((rows) => ({
  lossMask: rows.map((cells) => cells.map((cell) => cell.kept)),
  advantages: rows.map((cells) => cells.map((cell) => cell.advantage)),
  policyLogProbs: rows.map((cells) => cells.map((cell) => cell.policy)),
  proximalLogProbs: rows.map((cells) => cells.map((cell) => cell.proximal)),
  weights: rows.map((cells) => cells.map((cell) => cell.weight)),
}));

const bounds = { lower: 0.2, upper: 0.28 };

test.each([
  ["0.2/0.2", { lower: 0.2, upper: 0.2 }],
  ["0.2/0.28", bounds],
  ["0.1/0.4", { lower: 0.1, upper: 0.4 }],
] as const)("agrees with the reference values: bounds %s", (name, clip) => {
  const { loss, metrics } = clippedSurrogate(batch, clip);
  expect(loss).toBeCloseTo(golden.surrogate[name].loss, 12);
  expect(metrics["clipFraction"]).toBeCloseTo(golden.surrogate[name].clipFraction, 12);
});

test("agrees with the reference value under truncated weights", () => {
  const { weights } = truncatedImportanceWeights(
    { ...batch, behaviorLogProbs: golden.inputs.behaviorLogProbs },
    2,
  );
  const { loss } = clippedSurrogate({ ...batch, weights }, bounds);
  expect(loss).toBeCloseTo(golden.weightedSurrogate.loss, 12);
});

test("its derivatives match finite differences of its loss and are 0 outside the mask", () => {
  const h = 1e-6;
  fc.assert(
    fc.property(arbitraryBatch, (given) => {
      const { derivatives } = clippedSurrogate(given, bounds);
      for (const [b, policyRow] of given.policyLogProbs.entries()) {
        for (const [t, value] of policyRow.entries()) {
          const ratio = Math.exp(value - (given.proximalLogProbs[b]?.[t] ?? 0));
          // The loss has a corner at each bound, where finite differences are meaningless.
          if (Math.abs(ratio - 0.8) < 1e-4 || Math.abs(ratio - 1.28) < 1e-4) continue;
          const at = (shift: number): number =>
            clippedSurrogate(
              {
                ...given,
                policyLogProbs: given.policyLogProbs.map((r, i) =>
                  i === b ? r.map((v, j) => (j === t ? v + shift : v)) : r,
                ),
              },
              bounds,
            ).loss;
          const difference = (at(h) - at(-h)) / (2 * h);
          expect(derivatives.logProb?.[b]?.[t]).toBeCloseTo(difference, 6);
          const slope = derivatives.logProb?.[b]?.[t];
          expect(given.lossMask[b]?.[t] === true || slope === 0).toBe(true);
        }
      }
    }),
    { numRuns: 50 },
  );
});

test("at ratio 1 the clip is inactive and the derivative is −w·A / tokens", () => {
  fc.assert(
    fc.property(arbitraryBatch, (given) => {
      const { derivatives, metrics } = clippedSurrogate(
        { ...given, proximalLogProbs: given.policyLogProbs },
        bounds,
      );
      const tokens = given.lossMask.flat().filter(Boolean).length;
      expect(metrics["clipFraction"]).toBe(0);
      expect(metrics["proximalKl"]).toBe(0);
      for (const [b, maskRow] of given.lossMask.entries()) {
        for (const [t, kept] of maskRow.entries()) {
          const expected = kept
            ? (-(given.weights[b]?.[t] ?? 0) * (given.advantages[b]?.[t] ?? 0)) / tokens
            : 0;
          expect(derivatives.logProb?.[b]?.[t]).toBeCloseTo(expected, 12);
        }
      }
    }),
  );
});

test("microbatches with the global count add up to the minibatch, in any order", () => {
  fc.assert(
    fc.property(arbitraryBatch, (given) => {
      const tokenCount = given.lossMask.flat().filter(Boolean).length;
      const whole = clippedSurrogate(given, bounds);
      const slice = (b: number): ProximalBatch => ({
        lossMask: given.lossMask.slice(b, b + 1),
        advantages: given.advantages.slice(b, b + 1),
        policyLogProbs: given.policyLogProbs.slice(b, b + 1),
        proximalLogProbs: given.proximalLogProbs.slice(b, b + 1),
        weights: given.weights.slice(b, b + 1),
      });
      let loss = 0;
      let clipFraction = 0;
      for (let b = given.lossMask.length - 1; b >= 0; b -= 1) {
        const part = clippedSurrogate(slice(b), bounds, { tokenCount });
        loss += part.loss;
        clipFraction += part.metrics["clipFraction"] ?? Number.NaN;
        for (const [t, value] of (part.derivatives.logProb?.[0] ?? []).entries()) {
          expect(value).toBeCloseTo(whole.derivatives.logProb?.[b]?.[t] ?? Number.NaN, 12);
        }
      }
      expect(loss).toBeCloseTo(whole.loss, 12);
      expect(clipFraction).toBeCloseTo(whole.metrics["clipFraction"] ?? Number.NaN, 12);
    }),
  );
});

test("padding changes nothing, whatever its content", () => {
  const pad = <T>(rows: readonly ArrayLike<T>[], value: T): T[][] =>
    rows.map((r) => [...Array.from(r), value, value]);
  const padded = clippedSurrogate(
    {
      lossMask: pad(batch.lossMask, false),
      advantages: pad(batch.advantages, Number.NaN),
      policyLogProbs: pad(batch.policyLogProbs, Number.NaN),
      proximalLogProbs: pad(batch.proximalLogProbs, -99),
    },
    bounds,
  );
  const plain = clippedSurrogate(batch, bounds);
  expect(padded.loss).toBe(plain.loss);
  expect(Array.from(padded.derivatives.logProb?.[0] ?? [])).toEqual([
    ...(plain.derivatives.logProb?.[0] ?? []),
    0,
    0,
  ]);
});

test("a fully masked minibatch has loss 0 and derivatives 0", () => {
  const none = clippedSurrogate(
    { ...batch, lossMask: lossMask.map((r) => r.map(() => false)) },
    bounds,
  );
  expect(none.loss).toBe(0);
  expect(none.derivatives.logProb?.map((r) => Array.from(r))).toEqual([
    [0, 0, 0, 0],
    [0, 0, 0, 0],
  ]);
  expect(Object.values(none.metrics)).toEqual([0, 0, 0]);
});

test.each([
  [{ ...batch, policyLogProbs: [[-1, -1, -1, -1]] }, "SHAPE_MISMATCH"],
  [{ ...batch, advantages: [[1], [1]] }, "SHAPE_MISMATCH"],
  [
    {
      ...batch,
      policyLogProbs: [
        [Number.NaN, -1, -1, -1],
        [-1, -1, -1, -1],
      ],
    },
    "NON_FINITE_VALUE",
  ],
])("refuses arrays that do not form a minibatch (%#)", (given, code) => {
  expect(() => clippedSurrogate(given, bounds)).toThrow(expect.objectContaining({ code }));
});

test("refuses a token count below the number of tokens under the mask", () => {
  expect(() => clippedSurrogate(batch, bounds, { tokenCount: 5 })).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT" }),
  );
});
