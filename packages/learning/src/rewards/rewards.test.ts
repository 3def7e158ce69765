/** Rewards of trajectories that are written by hand. */
import { expect, test } from "vitest";
import type { PartContext, RewardPart, Reward } from "../composition/part.ts";
import {
  contextOf,
  type GivenTrajectory,
  groupOf,
} from "../composition/rewarded-trajectories.fixture.ts";
import type { StateName } from "../composition/state.ts";
import * as parts from "../parts.ts";

async function judged(
  part: RewardPart<StateName>,
  trajectories: readonly GivenTrajectory[],
  context: Partial<PartContext> = {},
): Promise<readonly Reward[]> {
  const group = groupOf(trajectories);
  return part.rewards(
    { task: group.task, trajectories: group.trajectories.map(({ trajectory }) => trajectory) },
    contextOf(context),
  );
}

const rewards = async (...given: Parameters<typeof judged>): Promise<number[]> =>
  (await judged(...given)).map(({ total: reward }) => reward);

const WIN: GivenTrajectory = { reward: 1, turns: [{ calls: ["a"] }, { calls: ["b"] }] };

const LOSS: GivenTrajectory = { reward: 0, turns: [{ calls: ["a"] }] };

test("a weighted sum weights each part, and a schedule may weight it again by name", async () => {
  const part = parts.weighted([
    [parts.outcome(), 2],
    [parts.callBonus(1, 4), { default: 0.5 }],
  ]);
  expect(await rewards(part, [WIN, LOSS])).toEqual([2 + 0.25, 0.125]);
  const scheduled = { rewardWeights: { outcome: 0.5, bonus: 0 } };
  expect(await rewards(part, [WIN, LOSS], scheduled)).toEqual([1, 0]);
  const [{ components } = { components: {} }] = await judged(part, [WIN]);
  expect(components).toEqual({ outcome: 1, bonus: 0.5 });
});

test("turn rewards of a weighted sum are weighted too", async () => {
  const trajectory = { ...WIN, turns: [{ paid: 1 }, { paid: 0.5 }] };
  const part = parts.weighted([
    [parts.progress("turn"), 2],
    [parts.outcome(), 1],
  ]);
  expect((await judged(part, [trajectory]))[0]?.turnRewards).toEqual([2, 1]);
});

test("a gate adds its bonus only for verified successes", async () => {
  const part = parts.gate(parts.outcome(), parts.callBonus(1, 4));
  expect(await rewards(part, [WIN, LOSS])).toEqual([1.5, 0]);
  const own = parts.gate(parts.outcome(), parts.callBonus(1, 4), ({ turns }) => turns.length === 1);
  expect(await rewards(own, [WIN, LOSS])).toEqual([1, 0.25]);
});

test("economy subtracts the cost, or adds the unused allowance to successes", async () => {
  const prices = { toolCall: 0.25 };
  expect(await rewards(parts.economy(prices), [WIN, LOSS])).toEqual([0.5, -0.25]);
  const gated = parts.economy(prices, { kind: "gated", allowance: 1 });
  expect(await rewards(gated, [WIN, LOSS])).toEqual([1.5, 0]);
  const [{ components } = { components: {} }] = await judged(parts.economy(prices), [WIN]);
  expect(components).toEqual({ outcome: 1, cost: 0.5 });
});

test("bonus fades to 0 over the stage", async () => {
  const at = (step: number): Promise<number[]> =>
    rewards(parts.callBonus(1), [LOSS], { step, steps: 4 });
  expect([await at(0), await at(2), await at(4)]).toEqual([[1], [0.5], [0]]);
});

test("team gives every member of a joint rollout the same reward, from its own rollout only", async () => {
  const joint = [
    { reward: 1, joint: "a" },
    { reward: 0, joint: "a" },
    { reward: 1, joint: "b" },
    { reward: 1, joint: "b" },
  ];
  expect(await rewards(parts.team(), joint)).toEqual([0.5, 0.5, 1, 1]);
});

test("preference is the share of siblings that a rollout beats; ties count one half", async () => {
  expect(await rewards(parts.preference(), [WIN, LOSS, LOSS])).toEqual([1, 0.25, 0.25]);
});

test("exec gives the share of calls that ran, per turn", async () => {
  const trajectory = { turns: [{ calls: ["a"] }, { calls: ["a"], ok: false }] };
  const [reward] = await judged(parts.exec(), [trajectory]);
  expect(reward).toEqual({ total: 0.5, turnRewards: [0.5, 0] });
});

test("multi-dim keeps each reward under its name and sums them by weight", async () => {
  const part = parts.multiDimensional({
    right: { reward: parts.outcome(), weight: 3 },
    calls: { reward: parts.callBonus(1, 2), weight: 1 },
  });
  const [reward] = await judged(part, [WIN]);
  expect(reward?.components).toEqual({ right: 1, calls: 1 });
  const [only] = await judged(part, [LOSS]);
  expect((reward?.total ?? 0) / ((only?.total ?? 1) || 1)).toBeCloseTo(8, 9);
});

test("rm reads a model's last value and maps logits to [0, 1]", async () => {
  const rm = async () => [[9, 0.25], [-2]];
  expect(await rewards(parts.rewardModel(), [WIN, LOSS], { ports: { rm } })).toEqual([0.25, 0]);
  const [first] = await rewards(parts.rewardModel("logits"), [WIN, LOSS], { ports: { rm } });
  expect(first).toBeCloseTo(1 / (1 + Math.exp(-0.25)), 12);
});

test("process rewards stay near the outcome and never cross to the other one", async () => {
  const rm = async () => [[1, 0], [1]];
  const rewards = await judged(parts.modeledProcess(0.25), [WIN, LOSS], { ports: { rm } });
  expect(rewards.map(({ turnRewards }) => turnRewards)).toEqual([[1.25, 0.75], [0.25]]);
});

test("implicit-prm rewards each turn with its log-ratio to the reference", async () => {
  const iprm = async () => [
    { model: [[0, -1, 0, -1]], reference: [[0, -3, 0, -0.5]] },
    { model: [[0, -1]], reference: [[0, -1]] },
  ];
  const rewards = await judged(parts.implicitProcess(0.5), [WIN, LOSS], { ports: { iprm } });
  expect(rewards.map(({ turnRewards }) => turnRewards)).toEqual([[1, -0.25], [0]]);
});
