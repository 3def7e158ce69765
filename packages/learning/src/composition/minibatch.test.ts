/** From groups to the rows of a minibatch: which tokens count, how much, and in which order. */
import { expect, test } from "vitest";
import { expectClose } from "../close.fixture.ts";
import * as parts from "../parts.ts";
import type { JudgedGroup } from "./judged-trajectory.ts";
import { planMinibatch } from "./minibatch.ts";
import type { FilterPart, RewardPart } from "./part.ts";
import { contextOf, groupOf } from "./rewarded-trajectories.fixture.ts";
import { rewardGroups } from "./reward-groups.ts";
import { initialValues, rewardStage, settingsAt, type Stage } from "./stage.ts";

const stageOf = (more: Partial<Stage> = {}): Stage => ({
  ...rewardStage({
    rollout: parts.group(2),
    reward: parts.outcome(),
    advantage: parts.groupAdvantage(),
    losses: [parts.pgClip()],
  }),
  ...more,
});

/** Without rewards, as they were rolled out. */
const rolledOut = (...given: Parameters<typeof groupOf>): JudgedGroup => {
  const { task, trajectories } = groupOf(...given);
  return { task, trajectories: trajectories.map(({ trajectory }) => trajectory) };
};

test("token shares are equal per token or per trajectory, over the loss tokens", () => {
  const group = groupOf([{ turns: [{ tokens: 3 }] }, { turns: [{ tokens: 1 }] }]);
  const byToken = planMinibatch([group], { kind: "token-mean" });
  expectClose(byToken.shares[0] ?? [], [0, 0.25, 0.25, 0.25]);
  const bySequence = planMinibatch([group], { kind: "seq-mean-token-mean" });
  expectClose(bySequence.shares[0] ?? [], [0, 1 / 6, 1 / 6, 1 / 6]);
  expectClose(bySequence.shares[1] ?? [], [0, 0.5]);
  expect(byToken.tokenCount).toBe(4);
});

test("a row carries its trajectory's mask, weights, advantages and returns", () => {
  const [one] = groupOf([{ turns: [{ tokens: 2 }] }]).trajectories;
  if (one === undefined) throw new Error("no trajectory");
  const rewarded = {
    ...one,
    lossMask: [[false, false, true]],
    tokenWeights: [Float64Array.of(1, 1, 0.25)],
  };
  const planned = planMinibatch(
    [{ task: "t", trajectories: [rewarded] }],
    { kind: "token-mean" },
    {
      advantages: new Map([["0", [Float64Array.of(0, 0, 3)]]]),
      returns: new Map([["0", [Float64Array.of(0, 0, 5)]]]),
    },
  );
  expect(planned.lossMask).toEqual([[false, false, true]]);
  expectClose(planned.weights[0] ?? [], [1, 1, 0.25]);
  expectClose(planned.advantages[0] ?? [], [0, 0, 3]);
  expectClose(planned.returns?.[0] ?? [], [0, 0, 5]);
  expectClose(planned.behaviorLogProbs[0] ?? [], [-1, -1, -1]);
});

test("rows without a loss token are dropped unless a pair needs them; pairs are row indices", () => {
  const [a, b, c] = groupOf([{}, {}, {}]).trajectories.map((rewarded, i) =>
    i === 2 ? rewarded : { ...rewarded, lossMask: [[false, false]] },
  );
  if (a === undefined || b === undefined || c === undefined) throw new Error("no trajectories");
  const planned = planMinibatch(
    [{ task: "t", trajectories: [a, b, c] }],
    { kind: "token-mean" },
    {},
    [["2", "1"]],
  );
  expect(planned.trajectories.map(({ trajectory }) => trajectory.id)).toEqual(["1", "2"]);
  expect(planned.pairs).toEqual([[1, 0]]);
});

test("each filter sees the output of the one before it, and all drop reasons are kept", async () => {
  const seen: number[] = [];
  const drops = (index: string, reason: string): FilterPart => ({
    slot: "filter",
    part: reason,
    needs: [],
    apply: (groups) => {
      const all = groups.flatMap(({ trajectories }) => trajectories);
      seen.push(all.length);
      const kept = all.filter(({ trajectory }) => trajectory.id !== index);
      return { groups: [{ task: "t", trajectories: kept }], dropped: new Map([[index, reason]]) };
    },
  });
  const stage = stageOf({ filters: [drops("0", "first"), drops("1", "second")] });
  const { groups, dropped } = await rewardGroups(stage, [rolledOut([{}, {}, {}, {}])], contextOf());
  expect(seen).toEqual([4, 3]);
  expect(groups[0]?.trajectories.map(({ trajectory }) => trajectory.id)).toEqual(["2", "3"]);
  expect([...dropped]).toEqual([
    ["0", "first"],
    ["1", "second"],
  ]);
});

test("pairs from one filter survive later filters that make none", async () => {
  const pairs: FilterPart = {
    slot: "filter",
    part: "pairs",
    needs: [],
    apply: (groups) => ({ groups, dropped: new Map(), pairs: [["0", "1"]] }),
  };
  const none: FilterPart = { ...pairs, apply: (groups) => ({ groups, dropped: new Map() }) };
  const stage = stageOf({ filters: [pairs, none], learns: "pairs" });
  const kept = await rewardGroups(stage, [rolledOut([{}, {}])], contextOf());
  expect(kept.pairs).toEqual([["0", "1"]]);
});

test("a reward is computed per group and must cover each trajectory", async () => {
  const asked: string[] = [];
  const reward: RewardPart = {
    slot: "reward",
    part: "asked",
    needs: [],
    rewards: ({ task, trajectories }) => {
      asked.push(task);
      return trajectories.map((_, i) => ({ total: 10 * asked.length + i }));
    },
  };
  const groups = [rolledOut([{}, {}], "a"), rolledOut([{}], "b")];
  const stage = stageOf({ reward, advantage: null });
  const kept = await rewardGroups(stage, groups, contextOf());
  expect(asked).toEqual(["a", "b"]);
  expect(
    kept.groups.map(({ trajectories }) => trajectories.map(({ reward }) => reward.total)),
  ).toEqual([[10, 11], [20]]);
  const short = stageOf({ reward: { ...reward, rewards: () => [] } });
  await expect(rewardGroups(short, groups, contextOf())).rejects.toThrow(/returned 0 rewards/);
});

test("each schedule part sees the settings of the one before it", () => {
  const twice = { slot: "schedule", part: "twice" } as const;
  const stage = stageOf({
    schedule: [
      { ...twice, at: (settings) => ({ ...settings, tasksPerStep: settings.tasksPerStep * 2 }) },
      { ...twice, at: (settings) => ({ ...settings, tasksPerStep: settings.tasksPerStep + 1 }) },
    ],
  });
  expect(settingsAt(stage, contextOf()).tasksPerStep).toBe(33);
});

test("a stage starts with the state of the stage before it", () => {
  const stage = stageOf({ state: { baseline: parts.baseline({ prior: 0.5 }) } });
  const fresh = initialValues(stage, {});
  expect(fresh.baseline).toMatchObject({ prior: 0.5 });
  expect(initialValues(stage, { baseline: "kept", cases: 1 })).toEqual({
    baseline: "kept",
    cases: 1,
  });
});
