/** Feedback about single turns: the gradient of the other turns is exactly 0. */
import type { LeasedOutcome, SampledSegment, Segment, Trajectory } from "@waggle/protocol";
import { FULL_SUPPORT } from "@waggle/protocol";
import { expect, test } from "vitest";
import { type JudgedTrajectory, toJudgedTrajectory } from "../composition/judged-trajectory.ts";
import { planMinibatch } from "../composition/minibatch.ts";
import type { Minibatch } from "../composition/part.ts";
import { contextOf } from "../composition/rewarded-trajectories.fixture.ts";
import { rewardGroups } from "../composition/reward-groups.ts";
import { initialValues } from "../composition/stage.ts";
import { recipeNamed } from "../recipes/catalogue.ts";
import { actedTurns, failedTurns } from "./blamed-turns.ts";
import { feedbackVerdict } from "./feedback.ts";

const given = (
  id: string,
  parent: string | null,
  role: "user" | "assistant" | "tool",
): Segment => ({
  kind: "given",
  id,
  parent,
  role,
  tokenIds: [1, 2],
});
const sampled = (id: string, parent: string): SampledSegment => ({
  kind: "sampled",
  id,
  parent,
  policyVersion: 0,
  sampling: { ...FULL_SUPPORT, seed: 1 },
  grammar: null,
  tokenIds: [3, 4],
  behaviorLogProbs: [-1, -1],
  rawLogProbs: [-1, -1],
  entropies: [1, 1],
  stopReason: "stop-token",
});

/** A request after an earlier one of the conversation: two calls, then the answer. Two tokens for each segment. */
const RECORD = {
  schemaVersion: 1,
  id: "00000000-0000-4000-8000-000000000001",
  segments: [
    given("u0", null, "user"),
    given("earlier", "u0", "assistant"),
    given("u1", "earlier", "user"),
    sampled("a1", "u1"),
    given("r1", "a1", "tool"),
    sampled("a2", "r1"),
    given("r2", "a2", "tool"),
    sampled("a3", "r2"),
  ],
  turns: ["a1", "a2", "a3"].map((segmentId) => ({
    segmentId,
    toolCalls: [],
    toolResults: [],
    parseError: null,
  })),
  stopReason: "completed",
} as unknown as Trajectory;

type Given = Partial<Parameters<typeof feedbackVerdict>[0]>;
const EVERYTHING = { thumb: 1, outcome: 1, message: 1, undo: 1 };

function verdictOn(feedback: Given) {
  const none = {
    thumb: null,
    outcomes: [],
    message: null,
    isUndone: false,
    correction: null,
    edit: null,
    staff: null,
  };
  return feedbackVerdict({ ...none, turns: RECORD.turns, ...feedback }, EVERYTHING);
}

function judged(feedback: Given): JudgedTrajectory {
  const verdict = verdictOn(feedback);
  if (verdict === null) throw new Error("no feedback");
  return toJudgedTrajectory(RECORD, verdict);
}

/** `[T]` derivative of the loss for each token, with the recipe's baseline of 0.5. */
async function gradient(feedback: Given, recipe = "signals-reinforce"): Promise<number[]> {
  const [stage] = recipeNamed(recipe)().stages;
  if (stage === undefined) throw new Error("no stage");
  const context = contextOf({ state: initialValues(stage, {}) });
  const group = { task: "t", trajectories: [judged(feedback)] };
  const { groups } = await rewardGroups(stage, [group], context);
  const estimated = stage.advantage?.estimate(groups, {
    ...context,
    hindsight: new Map(),
    outputs: { logProb: new Map() },
  });
  const planned = planMinibatch(groups, stage.aggregation, estimated);
  const minibatch: Minibatch = {
    ...planned,
    policyLogProbs: planned.behaviorLogProbs,
    proximalLogProbs: planned.behaviorLogProbs,
  };
  const { derivatives } = stage.losses[0]?.loss.compute(minibatch, context) ?? {};
  // Tokens of the seventh segment and before are 14.
  return Array.from(derivatives?.logProb?.[0] ?? [], (value) => value + 0);
}

const helpful = (turn: number, value: boolean, source: "page" | "server" = "server") =>
  ({
    metric: "helpful",
    value,
    source,
    turn,
    declared: { type: "boolean", better: "higher", level: "turn" },
  }) as const satisfies LeasedOutcome;

/** Tokens 6 and 7 are the first turn's, 10 and 11 the second's, 14 and 15 the third's. */
const byTurn = (first: number, second: number, third: number) =>
  [0, 0, 0, first, 0, second, 0, third].flatMap((one) => [one, one]);

test("a thumb on an answer is about all of its turns, and about no earlier answer", async () => {
  // −(1 − 0.5) over 6 tokens; −(0 − 0.5) over 6.
  const up = -0.5 / 6;
  expect(await gradient({ thumb: "up" })).toEqual(byTurn(up, up, up));
  expect(await gradient({ thumb: "down" })).toEqual(byTurn(-up, -up, -up));
});

test.each(["signals-reinforce", "openclaw-rl"])(
  "%s: an outcome of one turn gives the other turns no gradient",
  async (recipe) => {
    const [first, second, third] = await Promise.all(
      [1, 2, 3].map((turn) => gradient({ outcomes: [helpful(turn, true)] }, recipe)),
    );
    // openclaw-rl has no baseline: the reward is from −1 to 1.
    const one = recipe === "openclaw-rl" ? -0.5 : -0.25;
    expect(first).toEqual(byTurn(one, 0, 0));
    expect(second).toEqual(byTurn(0, one, 0));
    expect(third).toEqual(byTurn(0, 0, one));
  },
);

test("signals-reinforce-plus-plus normalizes over the turns that feedback is about, and the others get nothing", async () => {
  const [stage] = recipeNamed("signals-reinforce-plus-plus")().stages;
  const context = contextOf();
  const given = [
    judged({ outcomes: [helpful(1, true)] }),
    judged({ outcomes: [helpful(2, false), helpful(3, true)] }),
  ];
  const all = given.map((one, i) => ({ task: `t${i}`, trajectories: [{ ...one, id: `r${i}` }] }));
  const { groups } = await rewardGroups(stage!, all, context);
  const rows = stage!.advantage!.estimate(groups, context).advantages;
  const ofRow = (id: string) =>
    Array.from(rows.get(id)?.[0] ?? [], (value) => Number((value + 0).toFixed(6)));
  // Rewards 1, 0 and 1, for two tokens each: mean 2/3, deviation √2/3.
  const [good, bad] = [Number((1 / Math.SQRT2).toFixed(6)), Number((-Math.SQRT2).toFixed(6))];
  const padded = (first: number, second: number, third: number) =>
    byTurn(first, second, third).slice(-ofRow("r0").length);
  expect(ofRow("r0")).toEqual(padded(good, 0, 0));
  expect(ofRow("r1")).toEqual(padded(0, bad, good));
});

test("each turn has its own reward, and a thumb counts for all turns", async () => {
  const outcomes = [helpful(1, true), helpful(3, false)];
  expect(verdictOn({ outcomes })).toEqual({
    reward: 0.5,
    success: true,
    parts: { "outcome:helpful turn 1": true, "outcome:helpful turn 3": false },
    signals: { "outcome:helpful": 1 },
    turns: [1, null, 0],
  });
  expect(await gradient({ outcomes })).toEqual(byTurn(-0.125, 0, 0.125));
  // The first turn has the mean of 1 and 1, the second 1, the third the mean of 1 and 0.
  const both = verdictOn({ outcomes, thumb: "up" });
  expect(both?.turns).toEqual([1, 1, 0.5]);
  expect(await gradient({ outcomes, thumb: "up" })).toEqual(byTurn(-0.5 / 6, -0.5 / 6, 0));
});

test("the server's value replaces the page's for the same turn only", () => {
  const outcomes = [helpful(1, true, "page"), helpful(1, false), helpful(2, true, "page")];
  expect(verdictOn({ outcomes })?.turns).toEqual([0, 1, null]);
});

test("a turn that the request does not have, or a metric that changed its level, says nothing", () => {
  expect(verdictOn({ outcomes: [helpful(4, true)] })).toBeNull();
  const { turn: _, ...whole } = helpful(1, true);
  expect(verdictOn({ outcomes: [whole] })).toBeNull();
  const declared = { type: "boolean", better: "higher" } as const;
  expect(verdictOn({ outcomes: [{ ...helpful(1, true), declared }] })).toBeNull();
});

const call = (...ok: boolean[]) => ({
  toolResults: ok.map((one, i) => ({ callId: `c${i}`, ok: one, content: "" })) as never,
  parseError: null,
});
const unreadable = { toolResults: [], parseError: "no JSON" };

test.each([
  ["the failed call", [call(true), call(false), call()], [1]],
  ["both failed calls", [call(false), unreadable, call()], [0, 1]],
  ["only what failed after the last success", [call(false), call(true), call(false)], [2]],
  ["nothing, if a later call succeeded", [call(false), call(true), call()], []],
  ["nothing, without calls", [call()], []],
  ["a turn of which one call failed", [call(true, false), call()], [0]],
] as const)("a repeated request blames %s", (_, turns, expected) => {
  expect(failedTurns(turns)).toEqual(expected);
});

test("a repeated request after a failed call gives the other turns no gradient", async () => {
  const turns = [call(true), call(false), call()];
  for (const message of ["next-repeats", "retry"] as const) {
    expect(await gradient({ message, turns })).toEqual(byTurn(0, 0.25, 0));
  }
  // The controls: without a failed call, and with another message, it is about the whole answer.
  const whole = byTurn(0.5 / 6, 0.5 / 6, 0.5 / 6);
  expect(await gradient({ message: "next-repeats" })).toEqual(whole);
  expect(await gradient({ message: "next-corrects", turns })).toEqual(whole);
});

test.each([
  ["the call", [call(true), call()], [0]],
  [
    "each turn with a call that succeeded",
    [call(true), call(false, true), call(false), call()],
    [0, 1],
  ],
  ["nothing, without a call that succeeded", [call(false), unreadable, call()], []],
] as const)("an undone action blames %s", (_, turns, expected) => {
  expect(actedTurns(turns)).toEqual(expected);
});

test("an undone action gives the turns without a successful call no gradient", async () => {
  const undone = { isUndone: true, turns: [call(true), call(false), call()] };
  expect(await gradient(undone)).toEqual(byTurn(0.25, 0, 0));
  // The control: without a successful call, it is about the whole answer.
  const whole = byTurn(0.5 / 6, 0.5 / 6, 0.5 / 6);
  expect(await gradient({ isUndone: true, turns: [call(false), call(), call()] })).toEqual(whole);
});

const rating = (value: number, place?: number, weight = 1) =>
  ({
    metric: "rating",
    value,
    source: "server",
    ...(place === undefined ? {} : { place }),
    declared: { type: "number", range: [1, 5], better: "higher", level: "conversation", weight },
  }) as const satisfies LeasedOutcome;

test("an outcome of a conversation weighs 0.9 for each request that came after", async () => {
  const last = verdictOn({ outcomes: [rating(4)] });
  expect([last?.reward, last?.weight]).toEqual([0.75, undefined]);
  const second = verdictOn({ outcomes: [rating(4, 2)] });
  expect(second?.reward).toBe(0.75);
  expect(second?.weight).toBeCloseTo(0.81, 12);
  const [token] = (await gradient({ outcomes: [rating(4, 2)] })).slice(6);
  expect(token).toBeCloseTo((-0.25 * 0.81) / 6, 12);
  // Beside a thumb down: (0 · 1 + 0.75 · 0.81) / 1.81, and the weight is 1.81 / 2.
  const mixed = verdictOn({ outcomes: [rating(4, 2)], thumb: "down" });
  expect(mixed?.reward).toBeCloseTo((0.75 * 0.81) / 1.81, 12);
  expect(mixed?.weight).toBeCloseTo(1.81 / 2, 12);
});

test("a kind of request that seldom gets feedback weighs more, beside the discount", async () => {
  const response = { requests: 800, answered: 40, allRequests: 1000, allAnswered: 100 };
  expect(verdictOn({ thumb: "up", response })?.weight).toBeCloseTo(1.95238, 5);
  const discounted = verdictOn({ outcomes: [rating(4, 2)], response });
  expect(discounted?.weight).toBeCloseTo(0.81 * 1.95238, 5);
  const [token] = (await gradient({ thumb: "up", response })).slice(6);
  expect(token).toBeCloseTo((-0.5 * 1.95238) / 6, 5);
});
