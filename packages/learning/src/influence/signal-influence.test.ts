import { expect, test } from "vitest";
import { planMinibatch } from "../composition/minibatch.ts";
import type { RewardedGroup, RewardedTrajectory } from "../composition/part.ts";
import { rewardedOf } from "../composition/rewarded-trajectories.fixture.ts";
import { signalInfluence } from "./signal-influence.ts";

type Signals = { readonly [signal: string]: number };

/** Two sampled tokens. */
function trajectory(id: string, signals?: Signals): RewardedTrajectory {
  const rewarded = rewardedOf(id, { turns: [{ tokens: 2 }] });
  const verification = { ...rewarded.trajectory.verification, ...(signals && { signals }) };
  return { ...rewarded, trajectory: { ...rewarded.trajectory, verification } };
}

const GROUPS: readonly RewardedGroup[] = [
  { task: "a", trajectories: [trajectory("mixed", { thumb: 0.25, "outcome:booked": 0.75 })] },
  { task: "b", trajectories: [trajectory("thumb", { thumb: 1 })] },
  { task: "c", trajectories: [trajectory("verified")] },
];
/** After a given token without an advantage. */
const ADVANTAGES = new Map([
  ["mixed", [[0, 1, -3]]],
  ["thumb", [[0, -2, -2]]],
  ["verified", [[0, 0, 0]]],
]);
const planned = planMinibatch(GROUPS, { kind: "token-mean" }, { advantages: ADVANTAGES });
const ESTIMATED = { advantages: ADVANTAGES };

test("the influence of a trajectory is divided by the shares of its signals", () => {
  // Each of the six tokens has the share 1/6 of the loss: mixed 4/6, thumb 4/6, verified 0.
  expect(signalInfluence(GROUPS, planned, ESTIMATED)).toEqual([
    { signal: "thumb", trajectories: 2, weight: expect.closeTo((0.25 * 4 + 4) / 6, 12) as number },
    { signal: "outcome:booked", trajectories: 1, weight: expect.closeTo(0.5, 12) as number },
    { signal: "verifier", trajectories: 1, weight: 0 },
  ]);
});

test("a correction takes its share from the other signals, and the sum stays", () => {
  const found = signalInfluence(GROUPS, planned, {
    ...ESTIMATED,
    ofCorrection: new Map([
      ["mixed", 0.5],
      ["thumb", 0],
    ]),
  });
  const by = new Map(found.map((one) => [one.signal, one]));
  expect(by.get("correction")).toEqual({
    signal: "correction",
    trajectories: 1,
    weight: expect.closeTo(2 / 6, 12) as number,
  });
  expect(by.get("outcome:booked")?.weight).toBeCloseTo(0.25, 12);
  expect(found.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(8 / 6, 12);
});

test("without advantages, each token counts by its share of the loss", () => {
  const plain = planMinibatch(GROUPS, { kind: "token-mean" });
  const found = signalInfluence(GROUPS, plain, {});
  expect(found.find(({ signal }) => signal === "verifier")?.weight).toBeCloseTo(1 / 3, 12);
  expect(found.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 12);
});

test("the weight of a request counts in its influence", () => {
  const [mixed, ...others] = GROUPS;
  const thumb: RewardedTrajectory = {
    ...trajectory("thumb", { thumb: 1 }),
    tokenWeights: [[4, 4, 4]],
  };
  const groups = [mixed!, { task: "b", trajectories: [thumb] }, others[1]!];
  const weighed = planMinibatch(groups, { kind: "token-mean" }, { advantages: ADVANTAGES });
  const by = new Map(
    signalInfluence(groups, weighed, ESTIMATED).map(({ signal, weight }) => [signal, weight]),
  );
  expect(by.get("thumb")).toBeCloseTo((0.25 * 4 + 4 * 4) / 6, 12);
  expect(by.get("outcome:booked")).toBeCloseTo(0.5, 12);
});
