/** Numbers and choices that parts leave at their defaults are settings: each is opened, and changes what the part does. */
import { expect, test } from "vitest";
import * as parts from "../parts.ts";
import { type AnyPart, type OptionValue, partDefinition } from "./part-options.ts";
import { contextOf, groupOf, minibatchOf } from "./rewarded-trajectories.fixture.ts";

function remade<P extends AnyPart>(part: P, values: { readonly [name: string]: OptionValue }): P {
  const definition = partDefinition(part);
  const isOpen = Object.keys(values).every((name) => definition?.options[name]?.isOpen === true);
  expect(isOpen).toBe(true);
  const all = Object.entries(definition?.options ?? {}).map(([name, { value }]) => [name, value]);
  return definition?.define({ ...Object.fromEntries(all), ...values }, definition.inner) as P;
}

const ROWS = [
  { advantages: [1, 1], ratios: [2, 1] },
  { advantages: [-1, -1], ratios: [0.5, 1] },
];

test("the bound of gmpo and the rule, threshold and penalty of prob-gap", () => {
  const minibatch = minibatchOf(ROWS);
  const loss = (part: ReturnType<typeof parts.probabilityGap>): number =>
    part.compute(minibatch, contextOf()).loss;
  const gmpo = parts.geometricMean();
  expect(loss(remade(gmpo, { logBound: 0.1 }))).not.toBe(loss(gmpo));
  expect(loss(remade(gmpo, { logBound: 0.4 }))).toBe(loss(gmpo));
  const gap = parts.probabilityGap();
  expect(loss(remade(gap, { gapPenalty: 0.5 }))).not.toBe(loss(gap));
  expect(loss(remade(gap, { gapThreshold: 0.2 }))).toBe(loss(gap));
  expect(loss(remade(gap, { gapThreshold: 1 }))).not.toBe(loss(gap));
  expect(loss(remade(gap, { gapRule: "either" }))).toBe(loss(parts.probabilityGap("either")));
});

test("discount, peers and scale of advantages by turn", () => {
  const groups = [
    groupOf([
      { reward: 1, turns: [{ paid: 0.5 }, { paid: 0.5 }] },
      { reward: 0.25, turns: [{ paid: 0 }, { paid: 0.25 }] },
    ]),
  ];
  const credit = (part: ReturnType<typeof parts.turnLevel>): number =>
    part.estimate(groups, contextOf()).advantages.get("0")?.[0]?.[1] ?? Number.NaN;
  const plain = parts.turnLevel();
  for (const values of [{ turnDiscount: 0.5 }, { turnsOver: "turn" }, { turnScale: "none" }]) {
    expect(credit(remade(plain, values))).not.toBeCloseTo(credit(plain), 6);
  }
  // Returns 1, 0.5, 0.25, 0.25: against their mean 0.5.
  expect(credit(remade(plain, { turnScale: "none" }))).toBeCloseTo(0.5, 12);
});

test("mistakes of demonstrations in other forms, and the band of pass rates", () => {
  const shown = remade(parts.formedDemos(["tutorial"]), { mistakes: 0.3 });
  const { options: given } = shown.strategy(contextOf());
  expect(given).toMatchObject({ mistakes: 0.3, forms: ["tutorial"] });
  const { options } = partDefinition(remade(parts.passRateBand(), { bandLow: 0.4 })) ?? {};
  expect(options).toMatchObject({ bandLow: { value: 0.4 }, bandHigh: { value: 0.8 } });
});
