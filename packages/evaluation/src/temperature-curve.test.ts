import { expect, test } from "vitest";
import { temperatureCurve } from "./temperature-curve.ts";

test("the best temperature is the best on average over seeds, not per seed", () => {
  const curve = temperatureCurve([
    new Map([
      [0, [true, false]],
      [0.5, [true, true]],
    ]),
    new Map([
      [0, [true, false]],
      [0.5, [false, false]],
    ]),
  ]);
  expect(curve).toEqual({ best: [0.5, 0.5], bestTemperature: 0, greedy: [0.5, 0.5] });
});

test("only temperatures that every seed has are compared", () => {
  const curve = temperatureCurve([
    new Map([
      [0, [true, false]],
      [1, [true, true]],
    ]),
    new Map([[0, [true, true]]]),
  ]);
  expect(curve).toEqual({ best: [0.5, 1], bestTemperature: 0, greedy: [0.5, 1] });
});

test("without seeds or greedy results there is no curve", () => {
  expect(temperatureCurve([])).toBeNull();
  expect(temperatureCurve([new Map([[1, [true]]])])).toBeNull();
});
