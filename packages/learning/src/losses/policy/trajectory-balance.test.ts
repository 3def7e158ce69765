import { expect, test } from "vitest";
import { wrongDerivatives } from "../../derivative-check.fixture.ts";
import golden from "../../golden/losses.json" with { type: "json" };
import { randomMinibatch } from "../minibatch.fixture.ts";
import { groupLogPartitions, trajectoryBalance } from "./trajectory-balance.ts";

test("agrees with the reference value", () => {
  const lossMask = golden.inputs.lossMask.map((row) => row.map((m) => m === 1));
  const { loss } = trajectoryBalance({
    lossMask,
    policyLogProbs: golden.inputs.policyLogProbs,
    logRewards: [0.2, -1],
    logPartitions: [0.7, 0.7],
  });
  expect(loss).toBeCloseTo(golden.trajectoryBalance, 12);
});

test("its derivatives match its value, for log-probs and for log Z", () => {
  const { lossMask, policyLogProbs, referenceLogProbs, sequenceAdvantages } = randomMinibatch(4);
  const batch = {
    lossMask,
    policyLogProbs,
    referenceLogProbs,
    logRewards: sequenceAdvantages,
    logPartitions: [0.1, 0.2, -0.3, 0.4],
  };
  const { derivatives, logPartitionDerivatives } = trajectoryBalance(batch);
  expect(
    wrongDerivatives(
      policyLogProbs,
      derivatives.logProb ?? [],
      (rows) => trajectoryBalance({ ...batch, policyLogProbs: rows }).loss,
    ),
  ).toEqual([]);
  expect(
    wrongDerivatives(
      [batch.logPartitions],
      [logPartitionDerivatives],
      ([row]) => trajectoryBalance({ ...batch, logPartitions: row ?? [] }).loss,
    ),
  ).toEqual([]);
});

test("the group's log Z makes its gaps sum to 0; a distribution that fits its rewards has loss 0", () => {
  const lossMask = [[true], [true], [true]];
  const probabilities = [0.5, 0.3, 0.2];
  const fitting = {
    lossMask,
    policyLogProbs: probabilities.map((p) => [Math.log(p)]),
    // R = 7·π, so Z = 7.
    logRewards: probabilities.map((p) => Math.log(7 * p)),
  };
  const logPartitions = groupLogPartitions(fitting, [1, 1, 1]);
  expect(logPartitions[0]).toBeCloseTo(Math.log(7), 12);
  expect(trajectoryBalance({ ...fitting, logPartitions }).loss).toBeCloseTo(0, 20);
  const unfitting = { ...fitting, logRewards: [0, 0, 1] };
  const estimated = groupLogPartitions(unfitting, [1, 1, 1]);
  const { derivatives } = trajectoryBalance({ ...unfitting, logPartitions: estimated });
  const slopes = derivatives.logProb?.map((row) => row[0] ?? 0) ?? [];
  expect(slopes.reduce((a, b) => a + b, 0)).toBeCloseTo(0, 12);
  expect(slopes[2]).toBeLessThan(0);
});

test("a task with one rollout cannot estimate its log Z", () => {
  const batch = { lossMask: [[true]], policyLogProbs: [[-1]], logRewards: [0] };
  expect(() => groupLogPartitions(batch, ["a"])).toThrow(
    expect.objectContaining({ code: "GROUP_TOO_SMALL" }),
  );
});

test("microbatches add up to the minibatch", () => {
  const { lossMask, policyLogProbs, sequenceAdvantages } = randomMinibatch(8);
  const batch = {
    lossMask,
    policyLogProbs,
    logRewards: sequenceAdvantages,
    logPartitions: [1, 2, 3, 4],
  };
  const part = (from: number, to: number): number =>
    trajectoryBalance(
      {
        lossMask: lossMask.slice(from, to),
        policyLogProbs: policyLogProbs.slice(from, to),
        logRewards: sequenceAdvantages.slice(from, to),
        logPartitions: batch.logPartitions.slice(from, to),
      },
      4,
    ).loss;
  expect(part(0, 1) + part(1, 4)).toBeCloseTo(trajectoryBalance(batch).loss, 12);
});
