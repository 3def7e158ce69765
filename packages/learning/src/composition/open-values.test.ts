/** Options that a part leaves open: the default keeps its behavior, another value changes it. */
import { expect, test } from "vitest";
import * as parts from "../parts.ts";
import { frontierReward } from "../rewards/frontier.ts";
import type { JudgedTrajectory } from "./judged-trajectory.ts";
import { type AnyPart, type OptionValue, partDefinition } from "./part-options.ts";
import { rewardedTrajectory } from "./minibatch.ts";
import type { Minibatch, PartContext, RewardedGroup } from "./part.ts";

const CONTEXT: PartContext = {
  step: 0,
  steps: 10,
  random: () => 0.5,
  ports: {},
  state: {},
  signal: new AbortController().signal,
};

/** The part, made again. */
function remade<P extends AnyPart>(part: P, values: Readonly<Record<string, OptionValue>>): P {
  const making = partDefinition(part);
  return making?.define(values, making.inner) as P;
}

/** Three turns of two tokens: a call that ran, a call that failed, an answer. */
function trajectory(
  id: string,
  reward: number,
  { success = reward >= 1, terminated = true } = {},
): JudgedTrajectory {
  const turns = [true, false, null].map((ok, i) => ({
    sample: 0,
    start: 2 * i,
    end: 2 * i + 2,
    parseError: null,
    reward: 0.1,
    state: "",
    toolCalls: ok === null ? [] : [{ id: "c", name: "do", arguments: {} }],
    toolResults: ok === null ? [] : [{ callId: "c", ok }],
  }));
  const lossMask = turns.flatMap(() => [true, true]);
  return {
    id,
    role: "policy",
    branch: null,
    joint: null,
    turns,
    record: { task: { environment: "e", split: "train", seed: 1 }, terminated },
    samples: [
      {
        sequence: { tokenIds: [Number(id)] },
        lossMask,
        spans: [],
        behaviorLogProbs: lossMask.map(() => 0),
      },
    ],
    verification: { reward, success, parts: {} },
  } as unknown as JudgedTrajectory;
}

const groupOf = (...trajectories: readonly JudgedTrajectory[]): RewardedGroup => ({
  task: "t",
  trajectories: trajectories.map((one) =>
    rewardedTrajectory(one, { total: one.verification.reward }),
  ),
});

type Filter = ReturnType<typeof parts.success>;

const kept = (filter: Filter, group: RewardedGroup): string[] =>
  filter
    .apply([group], CONTEXT)
    .groups.flatMap(({ trajectories }) => trajectories.map((one) => one.trajectory.id));

test("advantages over the deviation of the population, of the sample, or of none", () => {
  const group = groupOf(trajectory("1", 0), trajectory("2", 1), trajectory("3", 1));
  const first = (scale: string): number =>
    remade(parts.groupAdvantage(), { scale })
      .estimate([group], CONTEXT)
      .advantages.get("1")?.[0]?.[0] ?? Number.NaN;
  const [mean, squares] = [2 / 3, 2 / 3];
  expect(first("none")).toBeCloseTo(-mean, 12);
  expect(first("population")).toBeCloseTo(-mean / Math.sqrt(squares / 3), 5);
  expect(first("sample")).toBeCloseTo(-mean / Math.sqrt(squares / 2), 5);
});

test("a threshold below 1 accepts high rewards; at 1 only verified success counts", () => {
  const group = groupOf(
    trajectory("1", 1),
    trajectory("2", 0.6),
    trajectory("3", 0.2),
    // Full marks and no success, success without full marks.
    trajectory("4", 1, { success: false }),
    trajectory("5", 0.8, { success: true }),
  );
  expect(kept(parts.success(), group)).toEqual(["1", "5"]);
  expect(kept(remade(parts.success(), { threshold: 0.5 }), group)).toEqual(["1", "2", "4", "5"]);
});

test("verify needs all checks or any; a tolerance treats close rewards as equal", () => {
  const group = groupOf(
    trajectory("1", 1, { terminated: false }),
    trajectory("2", 0.4),
    trajectory("3", 1),
  );
  expect(kept(parts.verify(), group)).toEqual(["3"]);
  expect(kept(remade(parts.verify(), { checks: "any" }), group)).toEqual(["1", "2", "3"]);
  const near = groupOf(trajectory("1", 0.5), trajectory("2", 0.6));
  expect(kept(parts.mixedGroup(), near)).toEqual(["1", "2"]);
  expect(kept(remade(parts.mixedGroup(), { tolerance: 0.5 }), near)).toEqual([]);
});

test.each([
  ["ran", [0, 1, 4, 5]],
  ["right", [0, 1, 4, 5]],
  ["all", [0, 1, 2, 3, 4, 5]],
  ["last", [4, 5]],
])("turns that are %s carry loss, in a filter and in a loss", (turns, tokens) => {
  const group = groupOf(trajectory("1", 1));
  const { groups } = remade(parts.stepMask(), { keptTurns: turns }).apply([group], CONTEXT);
  const mask = groups[0]?.trajectories[0]?.lossMask[0] ?? [];
  expect(mask.flatMap((counts, t) => (counts ? [t] : []))).toEqual(tokens);
  const losses = [
    remade(parts.crossEntropy(), { lossTurns: turns }),
    remade(parts.maskedCrossEntropy(), { lossTurns: turns }),
    remade(parts.spanMask(parts.crossEntropy()), { spanTurns: turns }),
  ];
  for (const loss of losses) {
    const moved = loss.compute(minibatchOf(group), CONTEXT).derivatives.logProb?.[0] ?? [];
    expect(Array.from(moved).flatMap((value, t) => (value === 0 ? [] : [t]))).toEqual(tokens);
  }
});

function minibatchOf({ trajectories }: RewardedGroup, ratio = 1): Minibatch {
  const rows = (value: number): Float64Array[] =>
    trajectories.map(() => new Float64Array(6).fill(value));
  return {
    trajectories,
    samples: trajectories.map(() => 0),
    pairs: [],
    tokenCount: 6 * trajectories.length,
    lossMask: trajectories.map(({ lossMask }) => lossMask[0] ?? []),
    shares: rows(1 / 6),
    weights: rows(1),
    advantages: rows(1),
    policyLogProbs: rows(Math.log(ratio)),
    proximalLogProbs: rows(0),
    behaviorLogProbs: rows(0),
  };
}

test("a ratio is clipped at epsilon", () => {
  const minibatch = minibatchOf(groupOf(trajectory("1", 1)), 2);
  const valueAt = (epsilon: number): number =>
    remade(parts.pgClip(), { epsilon }).compute(minibatch, CONTEXT).loss;
  expect(valueAt(0.2)).toBeCloseTo(-1.2, 12);
  expect(valueAt(0.5)).toBeCloseTo(-1.5, 12);
});

test("reward options: outcome, payment by turn or at the end, bonus threshold, weights", async () => {
  const run = trajectory("1", 0.6);
  const rewardOf = async (part: ReturnType<typeof parts.outcome>) =>
    (await part.rewards({ task: "t", trajectories: [run] }, CONTEXT))[0];
  expect(await rewardOf(parts.outcome())).toEqual({ total: 0.6 });
  expect(await rewardOf(remade(parts.outcome(), { outcome: "success" }))).toEqual({ total: 0 });
  expect((await rewardOf(parts.progress()))?.turnRewards).toEqual([0.1, 0.1, 0.1]);
  const late = remade(parts.progress(), { payment: "trajectory" });
  expect((await rewardOf(late))?.turnRewards).toEqual([0, 0, 0.3]);
  const gated = parts.gate(parts.outcome(), parts.callBonus(0.2));
  expect((await rewardOf(gated))?.total).toBeCloseTo(0.6, 12);
  expect((await rewardOf(remade(gated, { gateFrom: 0.5 })))?.total).toBeCloseTo(0.8, 12);
  const both = parts.weighted([
    [parts.outcome(), { default: 0.5 }],
    [parts.exec(), 2],
  ]);
  expect((await rewardOf(both))?.total).toBeCloseTo(0.3 + 2 * 0.5, 12);
  const lighter = remade(both, { outcomeWeight: 0.1 });
  expect((await rewardOf(lighter))?.total).toBeCloseTo(0.06 + 2 * 0.5, 12);
});

test("a proposer's reward follows the chosen curve: 1 in the middle, 0 at the ends", () => {
  const paid = (curve: "parabola" | "deviation" | "tent"): number[] =>
    [0, 0.1, 0.5, 1].map((rate) => frontierReward(rate, true, curve));
  expect(paid("parabola").map((value) => value.toFixed(6))).toEqual(
    [0, 0.36, 1, 0].map((value) => value.toFixed(6)),
  );
  expect(paid("deviation").map((value) => value.toFixed(6))).toEqual(
    [0, 0.6, 1, 0].map((value) => value.toFixed(6)),
  );
  expect(paid("tent").map((value) => value.toFixed(6))).toEqual(
    [0, 0.2, 1, 0].map((value) => value.toFixed(6)),
  );
});

test("the trained roles and the group size are settings", () => {
  const roles = parts.roleAdapters(["a", "b"], { learn: ["a"] });
  expect(roles.roles?.learn).toEqual(["a"]);
  expect(remade(roles, { learners: "all" }).roles?.learn).toEqual(["a", "b"]);
  expect(remade(roles, { learners: "b" }).roles?.learn).toEqual(["b"]);
  const strategy = remade(parts.group(), { groupSize: 3 }).strategy(CONTEXT);
  expect(strategy).toMatchObject({ name: "group", options: { size: 3 }, groupSize: 3 });
  expect(() => remade(parts.group(), { groupSize: 2.5 })).toThrow(/whole number/);
});
