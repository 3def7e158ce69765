/** Parts that credit turns, read answers and choose the next tasks, on hand-made trajectories. */
import type { TaskReference } from "@waggle/protocol";
import { expect, test } from "vitest";
import type { JudgedGroup, JudgedTrajectory } from "../composition/judged-trajectory.ts";
import { planMinibatch, rewardedTrajectory } from "../composition/minibatch.ts";
import type {
  Minibatch,
  PartContext,
  RewardedGroup,
  Reward,
  StateValues,
} from "../composition/part.ts";
import * as parts from "../parts.ts";
import { progressEstimate } from "../states/progress-estimator.ts";
import { failuresReturn, taskWheel } from "../schedules/task-flywheel.ts";
import { partialRollouts } from "../rollouts/partial-rollout.ts";
import { criteriaByRule } from "../rewards/rule-judge.ts";
import { retrieved } from "../rewards/retrieval.ts";
import { likeReference } from "../rewards/reference-likeness.ts";
import { attributedProgress } from "../rewards/redistribute.ts";
import { recoveredAnswer, recoveredRequest } from "../rewards/reconstruct.ts";
import { structuralTokens } from "../losses/policy/structural-tokens.ts";
import { auxiliaryToolNeed } from "../losses/imitation/tool-need.ts";
import { finishedGroups } from "../filters/unfinished.ts";
import { toolNeedLabels, whereToolsHelp } from "../filters/tool-benefit.ts";
import { fitsProgress } from "../filters/fits-progress.ts";
import { answerable } from "../filters/answerable.ts";
import { setAfterForks } from "./set-credit.ts";

type Turn = {
  readonly call?: string;
  readonly result?: string | null;
  readonly paid?: number;
  readonly tokens?: readonly number[];
};

type Given = Partial<Pick<JudgedTrajectory, "id" | "role" | "branch">> & {
  readonly turns: readonly Turn[];
  readonly reward?: number;
  readonly words?: Readonly<Record<string, string>>;
  readonly task?: TaskReference;
};

const TASK: TaskReference = { environment: "e", split: "train", seed: 6 };

/** Two tokens per turn unless given; a call with a result (`null` = failed), or text. */
function trajectory({
  turns,
  reward = 0,
  words = {},
  task = TASK,
  ...given
}: Given): JudgedTrajectory {
  let length = 0;
  const records = turns.map(({ call, result = "ok", paid, tokens = [0, 0] }) => {
    const start = length;
    length += tokens.length;
    return {
      sample: 0,
      start,
      end: length,
      parseError: null,
      reward: paid ?? null,
      state: "",
      toolCalls: call === undefined ? [] : [{ id: "c", name: "do", arguments: { it: call } }],
      toolResults:
        call === undefined
          ? []
          : [
              result === null
                ? { callId: "c", ok: false, error: { code: "TOOL_FAILED", message: "failed" } }
                : { callId: "c", ok: true, value: result },
            ],
    };
  });
  const tokenIds = turns.flatMap(({ tokens = [0, 0] }) => tokens);
  return {
    id: "e",
    role: "policy",
    branch: null,
    ...given,
    record: { task, terminated: true },
    samples: [
      {
        sequence: { tokenIds },
        lossMask: tokenIds.map(() => true),
        behaviorLogProbs: tokenIds.map(() => 0),
        spans: [],
      },
    ],
    turns: records,
    verification: { reward, success: reward >= 1, parts: words },
  } as unknown as JudgedTrajectory;
}

const context = (state: StateValues = {}, more: Partial<PartContext> = {}): PartContext => ({
  step: 0,
  steps: 1,
  random: () => 0.5,
  ports: {},
  state,
  signal: new AbortController().signal,
  ...more,
});

const rewarded = (
  reward: { rewards: (group: JudgedGroup, context: PartContext) => unknown },
  trajectories: readonly JudgedTrajectory[],
  given = context(),
): Promise<Reward[]> =>
  Promise.resolve(
    reward.rewards({ task: "t", trajectories }, given) as Reward[] | Promise<Reward[]>,
  );

const groupOf = (trajectories: readonly JudgedTrajectory[], task = "t"): RewardedGroup => ({
  task,
  trajectories: trajectories.map((one) =>
    rewardedTrajectory(one, { total: one.verification.reward }),
  ),
});

const sum = (values: readonly number[] = []): number =>
  values.reduce((all, value) => all + value, 0);

test("progress is attributed by the fitted estimator, and sums to the outcome before and after the fit", async () => {
  const runs = [
    trajectory({ turns: [{ call: "a" }, { call: "b", result: null }, {}], reward: 0 }),
    trajectory({ turns: [{ call: "a" }, { call: "b" }, {}], reward: 1 }),
  ];
  const state = { "progress-est": progressEstimate.initial?.() };
  const before = await rewarded(attributedProgress(), runs, context(state));
  // Before the fit, the last turn gets everything.
  expect(before.map(({ turnRewards }) => turnRewards)).toEqual([
    [0, 0, 0],
    [0, 0, 1],
  ]);
  const fitted = fitsProgress(0.1, 400).apply([groupOf(runs)], context(state)).state ?? {};
  const after = await rewarded(attributedProgress(), runs, context(fitted));
  for (const [i, { turnRewards, total: reward }] of after.entries()) {
    expect(sum(turnRewards)).toBeCloseTo(reward, 12);
    expect(reward).toBe(runs[i]?.verification.reward);
  }
  // A failed call gets less than one that ran.
  expect(after[0]?.turnRewards?.[1]).toBeLessThan(after[1]?.turnRewards?.[1] ?? 0);
});

test("criteria by rule: rewarded turns are met criteria, the rest is unmet, and all is paid at the end", async () => {
  const half = trajectory({
    turns: [
      { call: "a", paid: 0.25 },
      { call: "b", paid: 0 },
      { call: "c", paid: 0.25 },
    ],
  });
  expect(await rewarded(criteriaByRule(), [half])).toEqual([
    { total: 0.5, turnRewards: [0, 0, 0.5], components: { met: 2 } },
  ]);
  const [dense] = await rewarded(criteriaByRule("turn"), [half]);
  expect(dense?.turnRewards).toEqual([0.25, 0, 0.25]);
  // If no turn has a reward, success is the only criterion.
  const [whole, none] = await rewarded(criteriaByRule(), [
    trajectory({ turns: [{ call: "a" }, {}], reward: 1 }),
    trajectory({ turns: [{ call: "a" }, {}], reward: 0.5 }),
  ]);
  expect([whole?.total, none?.total]).toEqual([1, 0]);
});

test("information gains telescope, and the outcome is paid on the last turn", async () => {
  const run = trajectory({ turns: [{ call: "a" }, { call: "b" }, {}], reward: 1 });
  const answerLogProbs = async (): Promise<number[]> => [-4, -3, -1, -1];
  const given = context({}, { ports: { answerLogProbs } });
  const [reward] = await rewarded(parts.informationGain(0.1, 9), [run], given);
  expect(reward?.turnRewards).toEqual([0.1, 0.2, 1]);
  expect(reward?.total).toBeCloseTo(1 + 0.1 * 3, 12);
  // The cut limits single turns; a missing port is an error.
  const [cut] = await rewarded(parts.informationGain(0.1, 1), [run], given);
  expect(cut?.turnRewards).toEqual([0.1, 0.1, 1]);
  await expect(rewarded(parts.informationGain(), [run])).rejects.toThrow(/log-probs of answers/);
});

test("after a fork the advantage is the set's, before it the critic's", () => {
  const turns = [{ call: "a" }, { call: "b" }];
  const group = groupOf([
    trajectory({ id: "root", turns, reward: 1 }),
    trajectory({
      id: "fork",
      turns: [{ call: "a" }, { call: "c" }],
      reward: 1,
      branch: { trajectory: "root", turn: 1 },
    }),
    trajectory({ id: "other", turns: [{ call: "d" }], reward: 0 }),
  ]);
  const values = new Map(
    group.trajectories.map(({ trajectory: { id, samples } }) => [
      id,
      samples.map(({ lossMask }) => lossMask.map(() => 0.25)),
    ]),
  );
  const { advantages, returns } = setAfterForks(2, { discount: 1, lambda: 1 }).estimate([group], {
    ...context(),
    values: values as never,
  });
  const root = Array.from(advantages.get("root")?.[0] ?? []);
  // λ = 1 and a critic that says 0.25: the return of 1 minus 0.25.
  expect(root.slice(0, 2)).toEqual([0.75, 0.75]);
  // Sets of two by reward: {root, fork} 1, {root, other} 0.5, {fork, other} 0.5; all distinct; mean 2 / 3.
  expect(root[2]).toBeCloseTo(0.75 - 2 / 3, 12);
  expect(advantages.get("other")?.[0]?.[0]).toBeCloseTo(0.5 - 2 / 3, 12);
  expect(returns?.get("root")).toBeDefined();
});

test("format is learned at structural tokens only, with the group's advantage in the format reward", () => {
  const group = groupOf([
    trajectory({ id: "well", turns: [{ call: "a", tokens: [7, 1, 2, 7] }] }),
    trajectory({ id: "badly", turns: [{ call: "a", tokens: [7, 3] }] }),
  ]);
  const withForm: RewardedGroup = {
    ...group,
    trajectories: group.trajectories.map((one, i) => ({
      ...one,
      reward: { total: 0, components: { format: 1 - i } },
    })),
  };
  const planned = planMinibatch([withForm], { kind: "token-mean" }, {}, []);
  const zeros = planned.lossMask.map((row) => new Float64Array(row.length));
  const minibatch = {
    ...planned,
    policyLogProbs: zeros,
    proximalLogProbs: zeros,
    behaviorLogProbs: zeros,
  } as unknown as Minibatch;
  const given = context({}, { ports: { structure: new Set([7]) } });
  const { derivatives } = structuralTokens(parts.pgClip()).compute(minibatch, given);
  const [well = [], badly = []] = (derivatives.logProb ?? []).map((row) => [...row]);
  // A share of 1 / 6 for each of six tokens; advantages are ±1 / 2.
  expect(well).toEqual([-1 / 12, 0, 0, -1 / 12].map((value) => expect.closeTo(value, 12)));
  expect(badly).toEqual([1 / 12, 0].map((value) => expect.closeTo(value, 12)));
});

test("rollouts with and without tools label a task; the label selects tasks and what to imitate", () => {
  const arms = (task: string, withTools: number, without: number, calls = true): RewardedGroup =>
    groupOf(
      [
        trajectory({
          id: `${task}+`,
          turns: calls ? [{ call: "a" }, {}] : [{}],
          reward: withTools,
          task: { ...TASK, seed: task.length },
        }),
        trajectory({ id: `${task}-`, turns: [{}], reward: without, role: "alone" }),
      ],
      task,
    );
  const groups = [
    arms("beyond", 1, 0),
    arms("inside", 1, 1, false),
    arms("hopeless", 0, 0),
    arms("harmful", 0, 1),
  ];
  const { groups: helped, dropped } = whereToolsHelp().apply(groups, context());
  expect(
    helped.flatMap(({ trajectories }) => trajectories.map((one) => one.trajectory.id)),
  ).toEqual(["beyond+"]);
  expect(dropped.get("inside+")).toBe("tools-inside");
  const { groups: labeled } = toolNeedLabels().apply(groups, context());
  expect(labeled).toHaveLength(8);
  const needs = labeled.flatMap(({ trajectories }) =>
    trajectories.map(({ reward }) => reward.components?.["toolNeed"]),
  );
  expect(needs).toEqual([1, 1, -1, -1, 0, 0, -1, -1]);
  const planned = planMinibatch(labeled, { kind: "token-mean" }, {}, []);
  const zeros = planned.lossMask.map((row) => new Float64Array(row.length));
  const { derivatives } = auxiliaryToolNeed().compute(
    { ...planned, policyLogProbs: zeros } as unknown as Minibatch,
    context(),
  );
  const moved = planned.trajectories.flatMap(({ trajectory: { id } }, b) =>
    [...(derivatives.logProb?.[b] ?? [])].some((value) => value !== 0) ? [id] : [],
  );
  // Calls if tools are needed; answers without calls if not.
  expect(moved).toEqual(["beyond+", "inside+", "inside-", "harmful-"]);
});

test("answers are compared with the reference, the tool results and the request", async () => {
  const words = { request: "a table on friday at noon", text: "Rome", answer: "rome" };
  const found = trajectory({ turns: [{ call: "friday", result: "rome" }, {}], words, reward: 1 });
  const invented = trajectory({ turns: [{ call: "x", result: "oslo" }, {}], words });
  const silent = trajectory({
    turns: [{ call: "x", result: "oslo" }],
    words: { ...words, text: "" },
  });
  const rewards = async (part: Parameters<typeof rewarded>[0]): Promise<number[]> =>
    (await rewarded(part, [found, invented, silent])).map(({ total: reward }) => reward);
  expect(await rewards(parts.answerF1())).toEqual([1, 1, 0]);
  expect(await rewards(parts.groundedAnswer())).toEqual([1, -1, 0]);
  // One of six words. A quote of the request, or an answer in the call, earns 0.
  expect((await rewards(recoveredRequest()))[0]).toBeCloseTo((2 * 1) / (1 + 5), 12);
  expect(await rewards(recoveredAnswer())).toEqual([1, 0, 0]);
  const quoting = trajectory({ turns: [{ call: "rome", result: "rome" }, {}], words });
  expect((await rewarded(recoveredAnswer(), [quoting]))[0]?.total).toBe(0);
  const { groups, dropped } = answerable().apply(
    [groupOf([found, invented], "some"), groupOf([invented, silent], "none")],
    context(),
  );
  expect(groups.map(({ task }) => task)).toEqual(["some"]);
  expect([...dropped.values()]).toContain("not-answerable");
});

test("likeness is measured to the best reference, and a group without one is refused", async () => {
  const reference = trajectory({ turns: [{ call: "a" }, { call: "b" }, {}], role: "reference" });
  const judged = await rewarded(likeReference(), [
    trajectory({ turns: [{ call: "a" }, { call: "b" }, {}] }),
    trajectory({ turns: [{ call: "b" }] }),
    trajectory({ turns: [{ call: "x" }] }),
    reference,
  ]);
  expect(judged.map(({ total: reward }) => reward)).toEqual([1, 1 / 3, 0, 1]);
  expect(() => likeReference().rewards({ task: "t", trajectories: [] }, context())).toThrow(
    /reference/,
  );
});

test("retrieval rewards the first turn that finds a relevant document", async () => {
  const words = { found: "d1 d9|d1 d2|", relevant: "d1 d2 d3 d4" };
  const run = trajectory({ turns: [{ call: "a" }, {}, { call: "b" }, { call: "c" }], words });
  const [reward] = await rewarded(retrieved(0.5), [run]);
  expect(reward?.total).toBeCloseTo(2 / 4 + (0.5 * 2) / 3, 12);
  expect(reward?.turnRewards).toEqual([0.25, 0, 0.25, 0]);
  await expect(async () => rewarded(retrieved(), [trajectory({ turns: [{}] })])).rejects.toThrow(
    /does not list the documents/,
  );
});

test("solved tasks return harder, failed ones with similar tasks, and hopeless ones are dropped", () => {
  const task = (seed: number): TaskReference => ({ ...TASK, seed });
  const tasks = {
    harder: ({ seed }: TaskReference) => (seed % 10 === 2 ? null : task(seed + 1)),
    sibling: ({ seed }: TaskReference, nth: number) => task(100 * nth + seed),
  };
  const run = (seed: number, rewards: readonly number[]): RewardedGroup =>
    groupOf(
      rewards.map((reward) => trajectory({ turns: [{}], reward, task: task(seed) })),
      `e/train/${seed}`,
    );
  const filter = failuresReturn({ mostGenerations: 1, copies: 2 });
  const wheel = { "task-stats": taskWheel.initial?.() };
  const groups = [run(10, [1, 1]), run(12, [1, 1]), run(20, [0, 0]), run(30, [1, 0])];
  const { state } = filter.apply(groups, context(wheel, { ports: { tasks } }));
  const next = (kept: StateValues): number[] =>
    (filter.chooseTasks?.([task(7)], 4, context(kept)) ?? []).map(({ seed }) => seed);
  // 10 was solved and has a harder one, 12 has none, 20 failed, 30 stays unchanged.
  expect(next(state ?? {})).toEqual([11, 120, 220, 7]);
  const again = filter.apply(
    [run(11, [0, 0]), run(120, [1, 1])],
    context(state, { ports: { tasks } }),
  );
  // Tasks that became hopeless by hardening are dropped; tasks added after a failure are hardened in turn.
  expect(next(again.state ?? {})).toEqual([220, 121, 7]);
});

test("groups wait until all their rollouts have ended, and unfinished ones continue first", () => {
  const cut = {
    ...trajectory({ id: "cut", turns: [{}] }),
    record: { stopReason: "max-turns", turns: [{}] },
  };
  const ended = trajectory({ id: "ended", turns: [{}] });
  const groups = [
    groupOf([cut as unknown as JudgedTrajectory, ended], "some"),
    groupOf([ended], "all"),
  ];
  const {
    groups: learned,
    dropped,
    state = {},
  } = finishedGroups(4).apply(groups, context({ "rest-buffer": [] }));
  expect(learned.map(({ task }) => task)).toEqual(["all"]);
  expect(dropped.get("cut")).toBe("unfinished");
  expect(partialRollouts(2, 4, 8).strategy(context(state))).toMatchObject({
    name: "partial",
    options: { turns: 2, most: 4, size: 8, unfinished: [{ task: "some" }] },
  });
  // A rollout at the turn limit counts as ended.
  expect(finishedGroups(1).apply(groups, context()).groups).toHaveLength(2);
});
