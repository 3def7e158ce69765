import fc from "fast-check";
import { expect, test } from "vitest";
import { heatLegend, tokenHeat } from "./token-heat.ts";

test("a certain token is cold, one in a hundred is hot, one in ten is halfway", () => {
  expect(tokenHeat("behavior", 0)).toBe(0);
  expect(tokenHeat("behavior", Math.log(0.1))).toBeCloseTo(0.5, 10);
  expect(tokenHeat("raw", Math.log(0.001))).toBe(1);
});

test("a less likely token is never colder", () => {
  fc.assert(
    fc.property(
      fc.double({ min: -20, max: 0, noNaN: true }),
      fc.double({ min: 0, max: 5, noNaN: true }),
      (a, d) => {
        expect(tokenHeat("behavior", a - d)).toBeGreaterThanOrEqual(tokenHeat("behavior", a));
      },
    ),
  );
});

test("the legend shows the same colors as the tokens", () => {
  expect(heatLegend("behavior").map(({ heat, label }) => [Number(heat.toFixed(3)), label])).toEqual(
    [
      [0, "100 %"],
      [0.151, "50 %"],
      [0.5, "10 %"],
      [1, "≤ 1 %"],
    ],
  );
  expect(heatLegend("entropy").at(-1)).toEqual({ heat: 1, label: "4.6 nats" });
});
