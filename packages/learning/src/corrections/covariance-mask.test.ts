import { expect, test } from "vitest";
import { covarianceMask } from "./covariance-mask.ts";

const batch = {
  lossMask: [[true, true, false, true]],
  advantages: [[1, -1, 0, 3]],
  proximalLogProbs: [[-1, -2, 0, -3]],
};
const everything = { lowest: -Infinity, highest: Infinity };

test("a small share still masks one token, and never a given one", () => {
  for (const drawn of [0, 0.5, 0.99]) {
    const { weights } = covarianceMask(batch, { share: 0.01, ...everything }, () => drawn);
    expect(weights[0]?.[2]).toBe(0);
    expect([...(weights[0] ?? [])].filter((weight) => weight === 1)).toHaveLength(2);
  }
});

test("the share is one of all loss tokens", () => {
  const keptAt = (share: number): number => {
    const { weights } = covarianceMask(batch, { share, ...everything }, () => 0);
    return [...(weights[0] ?? [])].filter((weight) => weight === 1).length;
  };
  expect([0.67, 1].map(keptAt)).toEqual([1, 0]);
});

test("without a token in the range nothing is masked", () => {
  const none = { share: 1, lowest: 50, highest: 60 };
  expect([...(covarianceMask(batch, none, () => 0).weights[0] ?? [])]).toEqual([1, 1, 0, 1]);
});
