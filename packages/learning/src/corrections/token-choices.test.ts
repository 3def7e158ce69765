/** Selection of tokens by covariance. */
import { seededRandom } from "@waggle/protocol";
import { expect, test } from "vitest";
import { randomMinibatch } from "../losses/minibatch.fixture.ts";
import { covarianceMask, tokenCovariances, topCovarianceTokens } from "./covariance-mask.ts";

test("covariances sum to the covariance of log-probs and advantages", () => {
  const batch = {
    lossMask: [
      [true, true],
      [true, false],
    ],
    advantages: [
      [1, -1],
      [3, 0],
    ],
    proximalLogProbs: [
      [-1, -2],
      [-3, -9],
    ],
  };
  // Means: A 1, log π −2.
  expect(tokenCovariances(batch).map((row) => [...row])).toEqual([
    [0, -0],
    [-2, 0],
  ]);
});

test("the tokens with the highest covariance are the ones pulled back", () => {
  for (const seed of [1, 2, 3]) {
    const batch = randomMinibatch(seed);
    const covariances = tokenCovariances(batch);
    const chosen = topCovarianceTokens(batch, 0.25);
    const cells = batch.lossMask.flatMap((row, b) =>
      row.flatMap((isIn, t) =>
        isIn ? [{ value: covariances[b]![t]!, isChosen: chosen[b]![t] === 1 }] : [],
      ),
    );
    const taken = cells.filter(({ isChosen }) => isChosen);
    expect(taken).toHaveLength(Math.max(1, Math.floor(cells.length / 4)));
    const rest = cells.filter(({ isChosen }) => !isChosen);
    expect(Math.min(...taken.map(({ value }) => value))).toBeGreaterThanOrEqual(
      Math.max(...rest.map(({ value }) => value)),
    );
  }
});

test("the covariance mask drops a share of the tokens in its range, depending on its seed", () => {
  const batch = randomMinibatch(7);
  const count = batch.lossMask.flat().filter(Boolean).length;
  const choice = { share: 0.3, lowest: 0, highest: Infinity };
  const run = (seed: number): number[] =>
    covarianceMask(batch, choice, seededRandom(seed)).weights.flatMap((row) => [...row]);
  const covariances = tokenCovariances(batch).flatMap((row) => [...row]);
  const mask = batch.lossMask.flat();
  const out = run(1).flatMap((weight, i) => (mask[i] && weight === 0 ? [covariances[i]!] : []));
  expect(out.length).toBeGreaterThan(0);
  expect(out.length).toBeLessThanOrEqual(Math.max(1, Math.floor(0.3 * count)));
  expect(out.every((covariance) => covariance > 0)).toBe(true);
  expect(run(1)).toEqual(run(1));
  expect([2, 3, 4, 5].some((seed) => run(seed).join() !== run(1).join())).toBe(true);
  const nothing = covarianceMask(batch, { ...choice, lowest: 1e9 }, seededRandom(1));
  expect(nothing.metrics).toEqual({ covarianceMaskKept: 1 });
});
