import fc from "fast-check";
import { expect, test } from "vitest";
import golden from "../../../../test/golden/learning/learning.json" with { type: "json" };
import { groupRelativeAdvantages } from "./group-advantages.ts";

const rewards = fc.array(fc.double({ min: -10, max: 10, noNaN: true }), {
  minLength: 2,
  maxLength: 16,
});

test.each([
  ["none", {}],
  ["population", { scale: "std", epsilon: 0 }],
  ["sample-1e-6", { scale: "std", convention: "sample" }],
  ["sample-1e-4", { scale: "std", convention: "sample", epsilon: 1e-4 }],
] as const)("agrees with the reference values: %s", (name, options) => {
  const advantages = groupRelativeAdvantages(golden.inputs.rewards, options);
  expect(advantages).toHaveLength(4);
  for (const [i, value] of golden.advantages[name].entries()) {
    expect(advantages[i]).toBeCloseTo(value, 12);
  }
});

test.each(["none", "std"] as const)(
  "sum to zero and ignore a constant shift: scale %s",
  (scale) => {
    fc.assert(
      fc.property(rewards, fc.double({ min: -5, max: 5, noNaN: true }), (values, shift) => {
        // A tiny std would amplify the rounding of the shift itself.
        fc.pre(Math.max(...values) - Math.min(...values) > 1e-3);
        const plain = groupRelativeAdvantages(values, { scale });
        const moved = groupRelativeAdvantages(
          values.map((value) => value + shift),
          { scale },
        );
        expect(plain.reduce((sum, a) => sum + a, 0)).toBeCloseTo(0, 9);
        for (const [i, value] of plain.entries()) expect(moved[i]).toBeCloseTo(value, 7);
      }),
    );
  },
);

test("are permuted with the group", () => {
  fc.assert(
    fc.property(rewards, (values) => {
      const reversed = groupRelativeAdvantages([...values].reverse()).reverse();
      for (const [i, value] of groupRelativeAdvantages(values).entries()) {
        expect(reversed[i]).toBeCloseTo(value, 10);
      }
    }),
  );
});

test("a group with equal rewards carries no signal", () => {
  expect(groupRelativeAdvantages([0.5, 0.5, 0.5], { scale: "std" })).toEqual([0, 0, 0]);
});

test.each([
  [[], "GROUP_TOO_SMALL"],
  [[1], "GROUP_TOO_SMALL"],
  [[1, Number.NaN], "NON_FINITE_REWARD"],
  [[Number.POSITIVE_INFINITY, 0], "NON_FINITE_REWARD"],
])("refuses %j with %s", (values, code) => {
  expect(() => groupRelativeAdvantages(values)).toThrow(expect.objectContaining({ code }));
});
