/** Visitors' own requests are judged by feedback, and everything else about them is checked as for assigned tasks. */
import { SHOP } from "@waggle/demo/environment";
import type {
  Consent,
  Feedback,
  GrammarSpec,
  LeasedOutcome,
  LeasedTrajectory,
  TaskReference,
  ToolDefinition,
  Trajectory,
} from "@waggle/protocol";
import { FULL_SUPPORT, seededRandom, toTrainingSamples, trajectoryDigest } from "@waggle/protocol";
import { type Adapter, initializeAdapter } from "@waggle/model";
import { createNodePolicy } from "@waggle/runtime/node";
import { ByteTokenizer } from "@waggle/testing";
import { createChatFormat, nanoTokenizerConfig } from "@waggle/text";
import { grammarId } from "@waggle/text/grammar";
import { afterAll, expect, test } from "vitest";
import {
  randomTrajectory,
  TINY,
  TINY_ADAPTER,
  TINY_BASE,
  tinyWeights,
} from "../edge-training/training.fixture.ts";
import { initialState } from "../checkpoint/trainer-state.ts";
import { createFeedbackCheck, type FeedbackCheck } from "./feedback-check.ts";
import { createTrajectoryChecker } from "./trajectory-check.ts";

const format = createChatFormat({
  tokenizer: new ByteTokenizer(),
  tokenizerConfig: nanoTokenizerConfig(4096),
});
const thumbs = createFeedbackCheck({ thumb: 1 }, format, SHOP);

const policy = await createNodePolicy({
  config: TINY,
  weights: tinyWeights(),
  baseModel: TINY_BASE,
  threads: 1,
});
afterAll(() => policy.dispose());
const state = initialState({ baseModel: TINY_BASE, recipe: "thumbs-reinforce", seed: 1 });
/** Of the versions that have one. */
const ADAPTER: Adapter = (() => {
  const fresh = initializeAdapter(TINY, { ...TINY_ADAPTER, seed: 3 });
  const random = seededRandom(3);
  const tensors = [...fresh.tensors].map(([name, tensor]) => {
    const data = tensor.data.map(() => random() - 0.5);
    return [name, { ...tensor, data }] as const;
  });
  return { ...fresh, tensors: new Map(tensors) };
})();
const checkerOf = (feedback: FeedbackCheck, makesPairs = false) =>
  createTrajectoryChecker({
    policy,
    adapterCache: { get: async () => ADAPTER },
    replay: () => Promise.reject(new Error("a live request cannot be replayed")),
    feedback,
    makesPairs,
    maxStaleness: 1,
  });
const checker = checkerOf(thumbs);

const at = "2026-01-01T00:00:00.000Z";

/** A consent whose scopes the visitor chose one by one. */
const chosen = (...scopes: Consent["scopes"][number][]): Consent => ({
  version: "1",
  scopes,
  choices: true,
  grantedAt: new Date().toISOString(),
});

async function leased(
  trajectory: Trajectory,
  ...kinds: Feedback["kind"][]
): Promise<LeasedTrajectory> {
  const { id: trajectoryId } = trajectory;
  const feedback = kinds.map((kind) => ({ id: crypto.randomUUID(), trajectoryId, kind, at }));
  const digest = await trajectoryDigest(trajectory);
  return { digest, visitorId: crypto.randomUUID(), receivedAt: at, trajectory, feedback };
}

/** A live request with the log-probs that an honest page records. */
async function honest(seed: number, task: TaskReference | null = null): Promise<Trajectory> {
  const trajectory = randomTrajectory(seed, task);
  const [sample] = toTrainingSamples(trajectory);
  await policy.setAdapter(0, null);
  const { behaviorLogProbs, rawLogProbs } = await policy.score({
    tokenIds: sample?.sequence.tokenIds ?? [],
    sampling: FULL_SUPPORT,
  });
  return withSampled(trajectory, {
    behaviorLogProbs: behaviorLogProbs.slice(5),
    rawLogProbs: rawLogProbs.slice(5),
  });
}

function withSampled(trajectory: Trajectory, change: object): Trajectory {
  const segments = trajectory.segments.map((segment) =>
    segment.kind === "sampled" ? { ...segment, ...change } : segment,
  );
  return { ...trajectory, segments };
}

async function check(one: LeasedTrajectory, task: TaskReference | null = null) {
  const group = { groupId: one.visitorId, task, size: 1, trajectories: [one] };
  return checker.check(one, group, state);
}

test.each([
  [["thumb-up"], 1],
  [["thumb-down", "retry"], 0],
  [["thumb-down", "thumb-up"], 1],
  [["thumb-up", "thumb-down"], 0],
] as const)("%j is the reward %i: the last thumb counts", async (kinds, reward) => {
  const { trajectory, outcome } = await check(await leased(await honest(1), ...kinds));
  expect(outcome).toMatchObject({ status: "learned", reward, success: reward === 1 });
  expect(outcome.logProbGapMax).toBeLessThan(1e-4);
  expect(trajectory?.trajectory.verification.parts).toEqual({ thumb: reward ? "up" : "down" });
});

test("no thumb is not a bad thumb", async () => {
  for (const kinds of [[], ["retry", "abandon"]] as const) {
    const { trajectory, outcome } = await check(await leased(await honest(2), ...kinds));
    expect(outcome).toMatchObject({ status: "skipped", reason: "no-feedback" });
    expect(outcome).not.toHaveProperty("reward");
    expect(trajectory).toBeNull();
  }
});

const BOOKED: LeasedOutcome = {
  metric: "booked",
  value: true,
  source: "page",
  declared: { type: "boolean", better: "higher", weight: 0.5 },
};

test.each([
  ["thumb", { thumb: 1 }, 0, { thumb: "down" }],
  ["outcome", { outcome: 1 }, 1, { "outcome:booked": true }],
  ["both", { thumb: 1, outcome: 1 }, 1 / 3, { thumb: "down", "outcome:booked": true }],
] as const)("a recipe that reads %s is paid by it and by nothing else", async (...given) => {
  const [, weights, reward, parts] = given;
  const one = { ...(await leased(await honest(6), "thumb-down")), outcomes: [BOOKED] };
  const group = { groupId: one.visitorId, task: null, size: 1, trajectories: [one] };
  const reading = checkerOf(createFeedbackCheck(weights, format, SHOP));
  const { trajectory, outcome } = await reading.check(one, group, state);
  expect(outcome).toMatchObject({ status: "learned", success: reward >= 0.5 });
  expect(outcome.reward).toBeCloseTo(reward, 12);
  expect(trajectory?.trajectory.verification.parts).toEqual(parts);
});

test("feedback that the recipe does not read is no feedback, nor is a metric without weight", async () => {
  const refused = { holds: false, status: "skipped", reason: "no-feedback" };
  const one = await leased(await honest(7));
  expect(await thumbs({ ...one, outcomes: [BOOKED] })).toEqual(refused);
  const outcomes = createFeedbackCheck({ outcome: 1 }, format, SHOP);
  expect(await outcomes(await leased(await honest(7), "thumb-up"))).toEqual(refused);
  const silent = { ...BOOKED, declared: { ...BOOKED.declared, weight: 0 } };
  expect(await outcomes({ ...one, outcomes: [silent] })).toEqual(refused);
  // An edge of the previous release sends no outcomes.
  expect(await outcomes(one)).toEqual(refused);
  expect(await outcomes({ ...one, outcomes: [BOOKED] })).toMatchObject({ holds: true });
});

/** The tiny model has 32 tokens. */
const editing = (tokens: readonly number[], makesPairs = false) => {
  const encodeAssistant = () => [...tokens];
  const feedback = createFeedbackCheck({ edit: 1 }, { ...format, encodeAssistant }, undefined);
  return checkerOf(feedback, makesPairs);
};

async function edited(trajectory: Trajectory): Promise<LeasedTrajectory> {
  const one = await leased(trajectory, "thumb-down", "edit");
  const feedback = one.feedback.map((each) => ({
    ...each,
    ...(each.kind === "edit" && { text: "3" }),
  }));
  return { ...one, feedback };
}

test("an edited answer is imitated with the log-probs that it has, once the record itself has passed", async () => {
  const one = await edited(await honest(8));
  const group = { groupId: one.visitorId, task: null, size: 1, trajectories: [one] };
  const { trajectory, outcome } = await editing([3, 9, 1]).check(one, group, state);
  // What the policy gave was no success.
  expect(outcome).toMatchObject({ status: "learned", reward: 0, success: false });
  expect(trajectory?.trajectory.verification).toMatchObject({ reward: 1, success: true });
  const [sample] = trajectory?.trajectory.samples ?? [];
  const prompt = one.trajectory.segments[0]?.tokenIds ?? [];
  expect(sample?.sequence.tokenIds).toEqual([...prompt, 3, 9, 1]);
  expect(sample?.lossMask).toEqual([...prompt.map(() => false), true, true, true]);
  const { behaviorLogProbs } = await policy.score({
    tokenIds: [...prompt, 3, 9, 1],
    sampling: FULL_SUPPORT,
  });
  expect(sample?.behaviorLogProbs.slice(prompt.length)).toEqual(
    behaviorLogProbs.slice(prompt.length),
  );
  const forged = await edited(withSampled(one.trajectory, { behaviorLogProbs: [-9, -9, -9, -9] }));
  expect((await editing([3, 9, 1]).check(forged, group, state)).outcome.reason).toBe(
    "log-prob-gap",
  );
});

test("beside an answer that somebody wrote is the given one with its log-probs under the stable version", async () => {
  const request = await honest(8);
  const one = await edited(request);
  const group = { groupId: one.visitorId, task: null, size: 1, trajectories: [one] };
  const adapter = { sha256: "a".repeat(64), sizeBytes: 1, rank: 2, alpha: 4 };
  const versions = [null, adapter].map((each, version) => ({
    version,
    adapter: each,
    isRolledBack: false,
  }));
  const later = { ...state, stableVersion: 1, versions };
  const [sample] = toTrainingSamples(request);
  const own = sample?.behaviorLogProbs ?? [];
  for (const makesPairs of [false, true]) {
    const checker = editing([3, 9, 1], makesPairs);
    const under = async (at: typeof state) => {
      const { trajectory, trials = [] } = await checker.check(one, group, at);
      const given = (trajectory ?? trials[0])?.given;
      expect(given?.trajectory.samples[0]?.sequence).toEqual(sample?.sequence);
      return given;
    };
    const [same, moved] = [await under(state), await under(later)];
    for (const [t, logProb] of own.entries()) {
      expect(same?.rescoredLogProbs[0]?.[t]).toBeCloseTo(logProb, 4);
    }
    const spans = moved?.trajectory.samples[0]?.spans ?? [];
    expect(spans.map(({ segment }) => segment.policyVersion)).toEqual([1]);
    expect(moved?.rescoredLogProbs[0]).not.toEqual(same?.rescoredLogProbs[0]);
  }
});

test("for pairs, the answer that was given is learned beside the edited one, as the rejected side", async () => {
  const one = await edited(await honest(8));
  const group = { groupId: one.visitorId, task: null, size: 1, trajectories: [one] };
  const {
    trajectory,
    trials = [],
    outcome,
  } = await editing([3, 9, 1], true).check(one, group, state);
  expect(outcome).toMatchObject({ status: "learned", reward: 0, success: false });
  expect(trajectory).toBeNull();
  const [wanted, rejected, ...others] = trials;
  expect(others).toEqual([]);
  expect(wanted).toMatchObject({ digest: one.digest, visitorId: one.visitorId });
  expect(rejected).toMatchObject({ digest: one.digest, visitorId: one.visitorId });
  expect(wanted?.trajectory.id).toBe(`${one.digest}/wanted`);
  const tokens = trials.map(({ trajectory: side }) => side.samples[0]?.sequence.tokenIds);
  const prompt = one.trajectory.segments[0]?.tokenIds ?? [];
  expect(tokens[0]).toEqual([...prompt, 3, 9, 1]);
  expect(tokens[1]).toEqual(one.trajectory.segments.flatMap(({ tokenIds }) => tokenIds));
  expect(trials.map(({ trajectory: side }) => side.verification.reward)).toEqual([1, 0]);
  const long = Array.from({ length: TINY.contextLength }, () => 3);
  expect((await editing(long, true).check(one, group, state)).outcome.reason).toBe("edit-too-long");
});

test("an answer of staff replaces a visitor's edit, also long after the record was sampled", async () => {
  const one = await edited(await honest(8));
  const group = { groupId: one.visitorId, task: null, size: 1, trajectories: [one] };
  const texts: string[] = [];
  const encodeAssistant = (text: string) => {
    texts.push(text);
    return [5, 1];
  };
  const staff = checkerOf(
    createFeedbackCheck({ edit: 1, staff: 1 }, { ...format, encodeAssistant }, undefined),
  );
  const versions = [0, 1, 2, 3].map((version) => ({ version, adapter: null, isRolledBack: false }));
  const later = { ...state, versions };
  const checked = await staff.check({ ...one, staffAnswer: "4" }, group, later);
  expect(checked.outcome).toMatchObject({ status: "learned", reward: 0, success: false });
  expect(checked.trajectory?.trajectory.verification.signals).toEqual({ staff: 1 });
  expect(texts).toEqual(["4"]);
  // Without it the visitor's edit counts, and for a recipe that does not read staff.
  await staff.check(one, group, state);
  await createFeedbackCheck(
    { edit: 1 },
    { ...format, encodeAssistant },
    undefined,
  )({
    ...one,
    staffAnswer: "4",
  });
  expect(texts).toEqual(["4", "3", "3"]);
});

test("an edit that does not fit, or of a turn that calls a tool, is skipped", async () => {
  const one = await edited(await honest(9));
  const group = { groupId: one.visitorId, task: null, size: 1, trajectories: [one] };
  const long = Array.from({ length: TINY.contextLength }, () => 3);
  expect((await editing(long).check(one, group, state)).outcome).toMatchObject({
    status: "skipped",
    reason: "edit-too-long",
  });
  const toolCalls = [{ id: "c", name: "look", arguments: {} }];
  const turns = one.trajectory.turns.map((turn) => ({ ...turn, toolCalls }));
  const calling = await edited({ ...one.trajectory, turns });
  expect((await editing([3]).check(calling, group, state)).outcome).toMatchObject({
    status: "skipped",
    reason: "not-editable",
  });
});

test("an assigned task is left to a trainer with its verifier", async () => {
  const task = { environment: "shop", seed: 1, split: "train" } as const;
  const { outcome } = await check(await leased(await honest(3, task), "thumb-up"), task);
  expect(outcome).toMatchObject({ status: "skipped", reason: "no-feedback" });
});

test("a thumb does not excuse forged log-probs, a missing consent or another model", async () => {
  const request = await honest(4);
  const forged = withSampled(request, { behaviorLogProbs: [-9, -9, -9, -9] });
  const cases = [
    [forged, "log-prob-gap"],
    [{ ...request, consent: { ...request.consent, scopes: ["collect"] } }, "no-train-consent"],
    [{ ...request, consent: chosen("collect", "train") }, "no-feedback-consent"],
    [{ ...request, consent: chosen("collect", "train", "feedback") }, undefined],
    [{ ...request, baseModel: "c".repeat(64) }, "base-model-mismatch"],
  ] as const;
  for (const [trajectory, reason] of cases) {
    const { outcome } = await check(await leased(trajectory as Trajectory, "thumb-up"));
    expect(outcome.reason).toBe(reason);
  }
});

test("only the grammars of the site's own tools are compiled", async () => {
  const { tools } = await SHOP.create(SHOP.reference(7, "heldOut", 2)).environment.observe();
  const requestUnder = async (some: readonly ToolDefinition[]) => {
    const called = some.map(({ name, parameters }) => ({ name, parameters }));
    const spec: GrammarSpec = {
      kind: "tool-calls",
      format: format.toolCallFormat,
      tools: called,
      choice: "auto",
      parallel: true,
    };
    const grammar = await grammarId(spec);
    const record = withSampled(randomTrajectory(5), { grammar });
    return leased({ ...record, grammars: { [grammar]: spec } }, "thumb-up");
  };
  expect(await thumbs(await requestUnder(tools))).toMatchObject({ holds: true });
  const refused = { holds: false, status: "skipped", reason: "unknown-grammar" };
  expect(await thumbs(await requestUnder(tools.slice(1)))).toEqual(refused);
  const withoutEnvironment = createFeedbackCheck({ thumb: 1 }, format, undefined);
  expect(await withoutEnvironment(await requestUnder(tools))).toEqual(refused);
  const knowingTools = createFeedbackCheck({ thumb: 1 }, format, tools);
  expect(await knowingTools(await requestUnder(tools))).toMatchObject({ holds: true });
  expect(await knowingTools(await requestUnder(tools.slice(1)))).toEqual(refused);
});

test("a thumb up for an answer that asks for it counts as a thumb down", async () => {
  const said = async (answer: string, ...kinds: Feedback["kind"][]) => {
    const [stop = 0] = format.stopTokenIds;
    const tokenIds = [...new ByteTokenizer().encodeTemplate(answer), stop];
    return thumbs(await leased(withSampled(randomTrajectory(1, null), { tokenIds }), ...kinds));
  };
  const begging = "It is 12 euros. Please give me a thumbs up!";
  expect(await said(begging, "thumb-up")).toMatchObject({ verification: { reward: 0 } });
  expect(await said(begging, "thumb-down")).toMatchObject({ verification: { reward: 0 } });
  expect(await said("It is 12 euros.", "thumb-up")).toMatchObject({ verification: { reward: 1 } });
});
