/**
 * Derivatives of the losses on pairs, compared with their formulas worked out by hand for one token per row.
 */
import { expect, test } from "vitest";
import { expectClose } from "../../close.fixture.ts";
import type { LossPart, PairLoss } from "../../composition/part.ts";
import {
  contextOf,
  minibatchOf,
  rewardedOf,
} from "../../composition/rewarded-trajectories.fixture.ts";
import type { StateName } from "../../composition/state.ts";
import * as parts from "../../parts.ts";

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));

/** Two rows of one token: the rejected, then the chosen. */
function slopes(
  loss: LossPart<StateName> | PairLoss<StateName>,
  [worse, better]: readonly [number, number],
  [referenceWorse, referenceBetter]: readonly [number, number],
): number[] {
  const minibatch = minibatchOf(
    [
      { advantages: [0], logProbs: [worse], referenceLogProbs: [referenceWorse] },
      { advantages: [0], logProbs: [better], referenceLogProbs: [referenceBetter] },
    ],
    { pairs: [[1, 0]] },
  );
  const { derivatives } = loss.compute(minibatch, contextOf());
  return (derivatives.logProb ?? []).flatMap((row) => [...row]);
}

test("dpo raises the chosen and lowers the rejected, more if the margin over the reference is small", () => {
  // Margin β((−1 + 3) − (−2 + 1)) = 0.3.
  const push = 0.1 * sigmoid(-0.3);
  expectClose(slopes(parts.dpo(), [-2, -1], [-1, -3]), [push, -push]);
  // With a different β.
  const steep = 2 * sigmoid(-6);
  expectClose(slopes(parts.dpo(2), [-2, -1], [-1, -3]), [steep, -steep]);
});

test("ipo stops at a margin of 1/2β", () => {
  const reached = slopes(parts.ipo(0.5), [-2, -1], [-2, -2]);
  expectClose(reached, [0, 0]);
  expect(slopes(parts.ipo(0.5), [-2, -1.5], [-2, -2])[1]).toBeLessThan(0);
});

test("orpo needs no reference: another one changes nothing", () => {
  const one = slopes(parts.orpo(), [-2, -1], [-9, -9]);
  expectClose(slopes(parts.orpo(), [-2, -1], [-1, -3]), one);
  expect(one[0]).toBeGreaterThan(0);
  expect(one[1]).toBeLessThan(0);
});

test("ce of pairs imitates only the chosen side", () => {
  expectClose(slopes(parts.chosenCrossEntropy(), [-2, -1], [-1, -1]), [0, -1]);
});

test("kto raises successes and lowers failures", () => {
  const minibatch = minibatchOf([
    { advantages: [0], rewarded: rewardedOf("a", { reward: 1 }) },
    { advantages: [0], rewarded: rewardedOf("b", { reward: 0 }) },
  ]);
  const { derivatives } = parts.kto(1, "apo-zero").compute(minibatch, contextOf());
  const [liked = 0, disliked = 0] = (derivatives.logProb ?? []).flatMap((row) => [...row]);
  expect(liked).toBeLessThan(0);
  expect(disliked).toBeGreaterThan(0);
  expect(liked + disliked).toBeCloseTo(0, 12);
});

/** Slopes of three liked answers and a disliked one, at the reference. */
function ktoSlopes(loss: LossPart<StateName>, weights = [1, 1, 1, 1]): number[] {
  const minibatch = minibatchOf(
    [1, 1, 1, 0].map((reward, i) => ({
      advantages: [0],
      rewarded: rewardedOf(`${i}`, { reward }),
    })),
    { weights: weights.map((weight) => [weight]) },
  );
  const { derivatives } = loss.compute(minibatch, contextOf());
  return (derivatives.logProb ?? []).flatMap((row) => [...row]);
}

test("kto with balanced weights gives the rarer label the same sum as the other", () => {
  // β·σ′(0) = 1/4, divided by 4 answers.
  expectClose(ktoSlopes(parts.kto(1, "apo-zero")), [-1 / 16, -1 / 16, -1 / 16, 1 / 16]);
  const balanced = parts.kto(1, "apo-zero", "balanced");
  expectClose(ktoSlopes(balanced), [-1 / 16, -1 / 16, -1 / 16, 3 / 16]);
  // The counts are those of the weights: 4 and 2.
  expectClose(ktoSlopes(balanced, [2, 1, 1, 2]), [-2 / 16, -1 / 16, -1 / 16, 4 / 16]);
});

test("with one label alone, balanced weights change nothing", () => {
  const minibatch = minibatchOf([{ advantages: [0], rewarded: rewardedOf("a", { reward: 1 }) }]);
  const [equal, balanced] = (["equal", "balanced"] as const).map(
    (weights) => parts.kto(1, "apo-zero", weights).compute(minibatch, contextOf()).loss,
  );
  expect(balanced).toBe(equal);
});

test.each([
  ["kto", parts.kto(1, "apo-zero")],
  ["dpo", parts.dpo(1)],
] as const)("%s multiplies an answer or a pair by its weight", (_, loss) => {
  const at = (weight: number) => {
    const rewarded = [rewardedOf("a", { reward: 1 }), rewardedOf("b", { reward: 0 })];
    const minibatch = minibatchOf(
      rewarded.map((one) => ({ advantages: [0], rewarded: one })),
      { pairs: [[0, 1]], weights: [[weight], [weight]] },
    );
    return loss.compute(minibatch, contextOf());
  };
  const [once, thrice] = [at(1), at(3)];
  expect(thrice.loss).toBeCloseTo(3 * once.loss, 12);
  expect(thrice.derivatives.logProb?.[1]?.[0]).toBeCloseTo(
    3 * (once.derivatives.logProb?.[1]?.[0] ?? Number.NaN),
    12,
  );
});

test("a preference loss without its reference is refused", () => {
  const minibatch = minibatchOf([{ advantages: [0] }], { referenceLogProbs: undefined });
  for (const loss of [parts.dpo(), parts.ipo(), parts.kto(), parts.apo()]) {
    expect(() => loss.compute(minibatch, contextOf())).toThrow(/a reference policy/);
  }
});
