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

test("a preference loss without its reference is refused", () => {
  const minibatch = minibatchOf([{ advantages: [0] }], { referenceLogProbs: undefined });
  for (const loss of [parts.dpo(), parts.ipo(), parts.kto(), parts.apo()]) {
    expect(() => loss.compute(minibatch, contextOf())).toThrow(/a reference policy/);
  }
});
