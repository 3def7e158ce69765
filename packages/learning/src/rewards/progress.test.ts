/** Dense rewards, worked out by hand, and how they differ from the verdict. */
import { expect, test } from "vitest";
import {
  contextOf,
  type GivenTrajectory,
  rewardedOf,
} from "../composition/rewarded-trajectories.fixture.ts";
import type { Reward, RewardPart } from "../composition/part.ts";
import * as parts from "../parts.ts";

type Measures = { readonly [name: string]: number };

async function rewardsOf(
  part: RewardPart,
  given: readonly (GivenTrajectory & { readonly measures?: Measures })[],
): Promise<readonly Reward[]> {
  const trajectories = given.map(({ measures = {}, ...one }, i) => {
    const { trajectory } = rewardedOf(String(i), one);
    return { ...trajectory, verification: { ...trajectory.verification, parts: measures } };
  });
  return part.rewards({ task: "t", trajectories }, contextOf());
}

/** A form of three fields, one quarter for each and for sending it; the second call was wrong. */
const PART_RIGHT = {
  reward: 0,
  turns: [
    { paid: 0.25, calls: ["set"] },
    { paid: 0, calls: ["set"] },
    { paid: 0.25, calls: ["set"] },
  ],
};
const SOLVED = {
  reward: 1,
  turns: [1, 2, 3, 4].map(() => ({ paid: 0.25, calls: ["set"] })),
};

test("progress rewards a failed trajectory for what it did right; the verdict does not", async () => {
  const given = [PART_RIGHT, SOLVED];
  expect(await rewardsOf(parts.progress(), given)).toEqual([
    { total: 0.5, turnRewards: [0.25, 0, 0.25] },
    { total: 1, turnRewards: [0.25, 0.25, 0.25, 0.25] },
  ]);
  const verdicts = await rewardsOf(parts.outcome(), given);
  expect(verdicts.map(({ total }) => total)).toEqual([0, 1]);
});

test("progress of the prefix stops at the first call without a reward", async () => {
  const talks = { turns: [{}, { paid: 0.25, calls: ["set"] }] };
  const rewarded = await rewardsOf(parts.progress("turn", "prefix"), [PART_RIGHT, SOLVED, talks]);
  expect(rewarded).toEqual([
    { total: 0.25, turnRewards: [0.25, 0, 0] },
    { total: 1, turnRewards: [0.25, 0.25, 0.25, 0.25] },
    { total: 0.25, turnRewards: [0, 0.25] },
  ]);
});

test("thirds add up to 1 in any order of the turns", async () => {
  const turns = [1 / 3, 1 / 3, 1 / 3].map((paid) => ({ paid }));
  const [reward] = await rewardsOf(parts.progress(), [{ reward: 1, turns }]);
  expect(reward?.total).toBe(1);
});

test("without turn rewards, progress is the verification's measure, or else the verdict", async () => {
  const rewarded = await rewardsOf(parts.progress(), [
    { reward: 0, measures: { progress: 0.5 } },
    { reward: 0 },
    { reward: 1 },
  ]);
  expect(rewarded.map(({ total }) => total)).toEqual([0.5, 0, 1]);
  expect(rewarded[0]?.turnRewards).toEqual([0]);
});

test("half outcome and half progress: a near miss earns a reward between a failure and a success", async () => {
  const dense = parts.weighted([
    [parts.outcome("success"), { default: 0.5 }],
    [parts.progress(), { default: 0.5 }],
  ]);
  const rewarded = await rewardsOf(dense, [{ reward: 0 }, PART_RIGHT, SOLVED]);
  expect(rewarded.map(({ total }) => total)).toEqual([0, 0.25, 1]);
});

test("closeness is measured by the environment; one without a measure is refused", async () => {
  const rewarded = await rewardsOf(parts.closeness(), [
    { reward: 0, measures: { closeness: 0.75 } },
  ]);
  expect(rewarded).toEqual([{ total: 0.75 }]);
  await expect(async () => rewardsOf(parts.closeness(), [{ reward: 0 }])).rejects.toMatchObject({
    code: "REWARD_UNAVAILABLE",
  });
});

test("a group advantage over steps reads turn rewards, one over outcomes does not", async () => {
  // Two failed trajectories with equal progress, earned in different turns.
  const given = [
    { reward: 0, turns: [{ paid: 0.5 }, { paid: 0 }] },
    { reward: 0, turns: [{ paid: 0 }, { paid: 0.5 }] },
  ];
  const rewarded = await rewardsOf(parts.progress(), given);
  const trajectories = given.map((one, i) => ({
    ...rewardedOf(String(i), one),
    reward: rewarded[i]!,
  }));
  const credits = (part: ReturnType<typeof parts.mixedSteps>): (number | undefined)[] => {
    const { advantages } = part.estimate([{ task: "t", trajectories }], contextOf());
    return [...advantages.values()].flatMap(([row]) => [row?.[1], row?.[3]]);
  };
  expect(credits(parts.groupAdvantage({ scale: "none" }))).toEqual([0, 0, 0, 0]);
  // r − mean over the four turns, 0.25.
  expect(credits(parts.mixedSteps({ scale: "none" }))).toEqual([0.25, -0.25, -0.25, 0.25]);
});
