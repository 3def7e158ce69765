import { demonstrate, EXPERT, SHOP, type ShopSkill } from "@waggle/demo/environment";
import { rollOut } from "@waggle/agent";
import {
  type Adapter,
  type DecoderConfig,
  initializeAdapter,
  initializeDecoder,
} from "@waggle/model";
import {
  type LeasedGroup,
  type SampledSegment,
  type TaskReference,
  toTrainingSamples,
  type Trajectory,
  trajectoryDigest,
  mulberry32,
} from "@waggle/protocol";
import { type AdaptivePolicy, createNodePolicy } from "@waggle/runtime/node";
import { ByteTokenizer, ScriptedPolicy } from "@waggle/testing";
import { createChatFormat, nanoTokenizerConfig } from "@waggle/text";
import { afterAll, expect, test } from "vitest";
import { createReplay } from "./replay.ts";
import { initialState, type TrainerState } from "../checkpoint/trainer-state.ts";
import {
  type CheckedTrajectory,
  createTrajectoryChecker,
  type TrajectoryCheckerOptions,
} from "./trajectory-check.ts";
import { TINY, TINY_BASE } from "../edge-training/training.fixture.ts";

const tokenizer = new ByteTokenizer();
const config: DecoderConfig = {
  ...TINY,
  vocabularySize: tokenizer.vocabularySize,
  contextLength: 4096,
};
const format = createChatFormat({ tokenizer, tokenizerConfig: nanoTokenizerConfig(4096) });
const adapter: Adapter = (() => {
  const fresh = initializeAdapter(config, { rank: 2, alpha: 4, seed: 3 });
  // B starts at 0, which would equal the base; any other constant does not.
  for (const [name, { data }] of fresh.tensors) if (name.includes("lora_B")) data.fill(0.3);
  return fresh;
})();
const policy: AdaptivePolicy = await createNodePolicy({
  config,
  weights: initializeDecoder(config, 5),
  baseModel: TINY_BASE,
  threads: 1,
});
afterAll(() => policy.dispose());

const reference = { sha256: "c".repeat(64), sizeBytes: 1, rank: 2, alpha: 4 };
const state: TrainerState = {
  ...initialState({ baseModel: TINY_BASE, recipe: "dr-grpo-tis", seed: 1 }),
  versions: [
    { version: 0, adapter: null, isRolledBack: false },
    { version: 1, adapter: reference, isRolledBack: false },
    { version: 2, adapter: reference, isRolledBack: true },
  ],
  stableVersion: 1,
};
const checker = createTrajectoryChecker({
  policy,
  adapterCache: { get: async () => adapter },
  replay: createReplay({
    format,
    contextLength: policy.contextLength,
    vocabularySize: policy.vocabularySize,
    environments: [SHOP],
  }),
  maxStaleness: 4,
});
const task: TaskReference = { environment: "shop", seed: 11, split: "train" };

/** A rollout of the demonstrator, with the log-probs that an honest client would record. */
async function honest(version = 1, skill: ShopSkill = EXPERT): Promise<Trajectory> {
  const { turns } = await demonstrate(task, mulberry32(1), skill);
  const trajectory = await rollOut({
    policy: new ScriptedPolicy({
      turns: turns.map(({ text, toolCalls }) => format.encodeAssistant(text, toolCalls)),
      baseModel: TINY_BASE,
      version,
      vocabularySize: config.vocabularySize,
    }),
    environment: SHOP.create(task).environment,
    chatFormat: format,
    limits: { maxTurns: 8, maxTokensPerTurn: 1000, timeoutMs: 0 },
    consent: { version: "1", scopes: ["train"], grantedAt: new Date().toISOString() },
    client: { build: "0", backend: "scripted", device: "none", crossOriginIsolated: false },
    seed: 1,
  });
  return withScores(trajectory, version);
}

async function withScores(
  trajectory: Trajectory,
  version: number,
  temperature = 1,
): Promise<Trajectory> {
  await policy.setAdapter(version, version === 0 ? null : adapter);
  const [sample] = toTrainingSamples(trajectory);
  const { behaviorLogProbs, rawLogProbs } = await policy.score({
    tokenIds: sample?.sequence.tokenIds ?? [],
    sampling: { temperature, topK: 0, topP: 1 },
  });
  const starts = new Map(sample?.spans.map(({ segment, start }) => [segment.id, start]));
  return {
    ...trajectory,
    segments: trajectory.segments.map((segment) => {
      const start = starts.get(segment.id);
      if (segment.kind === "given" || start === undefined) return segment;
      const end = start + segment.tokenIds.length;
      return {
        ...segment,
        sampling: { ...segment.sampling, temperature },
        behaviorLogProbs: behaviorLogProbs.slice(start, end),
        rawLogProbs: rawLogProbs.slice(start, end),
      };
    }),
  };
}

async function check(
  trajectory: Trajectory,
  groupTask = task,
  by = checker,
): Promise<CheckedTrajectory> {
  const leased: LeasedGroup["trajectories"][number] = {
    digest: await trajectoryDigest(trajectory),
    visitorId: "00000000-0000-4000-8000-000000000000",
    receivedAt: "2026-01-01T00:00:00.000Z",
    trajectory,
    feedback: [],
  };
  const group = { groupId: leased.visitorId, task: groupTask, size: 1, trajectories: [leased] };
  return by.check(leased, group, state);
}

const isSampled = (segment: Trajectory["segments"][number]): segment is SampledSegment =>
  segment.kind === "sampled";

/** Replaces the nth sampled segment. */
function withSampled(
  trajectory: Trajectory,
  number: number,
  change: (segment: SampledSegment) => SampledSegment,
): Trajectory {
  const target = trajectory.segments.filter(isSampled).at(number);
  return {
    ...trajectory,
    segments: trajectory.segments.map((segment) =>
      isSampled(segment) && segment === target ? change(segment) : segment,
    ),
  };
}

test.each([0, 1])(
  "an honest rollout at version %i is accepted with its reward",
  async (version) => {
    const { trajectory, outcome } = await check(await honest(version));
    expect(outcome).toMatchObject({ status: "learned", reward: 1, success: true });
    expect(outcome.logProbGapMax).toBeLessThan(1e-4);
    expect(outcome.staleness).toBe(1 - version);
    expect(trajectory?.trajectory.verification.reward).toBe(1);
    const mask = trajectory?.trajectory.samples[0]?.lossMask ?? [];
    expect(mask.filter(Boolean).length).toBeGreaterThan(20);
    expect(trajectory?.rescoredLogProbs[0]?.filter((_, t) => mask[t]).every((v) => v < 0)).toBe(
      true,
    );
  },
);

test("a rollout that fails its task is accepted with reward 0", async () => {
  const nothing: ShopSkill = {
    ...EXPERT,
    sort: 0,
    limit: 0,
    quantity: 0,
    convert: 0,
    match: 0,
    look: 0,
    both: 0,
  };
  const { outcome } = await check(await honest(1, nothing));
  expect(outcome).toMatchObject({ status: "learned", reward: 0, success: false });
});

test("a truncated rollout is judged by its completed turns", async () => {
  const whole = await honest();
  const cut = whole.segments.findIndex(isSampled) + 1;
  const { outcome } = await check({
    ...whole,
    segments: whole.segments.slice(0, cut),
    turns: whole.turns.slice(0, 1),
    stopReason: "max-turns",
    terminated: false,
    truncated: true,
  });
  expect(outcome).toMatchObject({ status: "learned", reward: 0 });
});

type Tamper = (trajectory: Trajectory) => Trajectory;
const forged: readonly [reason: string, what: string, tamper: Tamper][] = [
  [
    "log-prob-gap",
    "log-probs lowered to raise the importance weight",
    (t) =>
      withSampled(t, 0, (s) => ({ ...s, behaviorLogProbs: s.behaviorLogProbs.map((x) => x - 1) })),
  ],
  [
    "log-prob-gap",
    "one log-prob outside the band",
    (t) =>
      withSampled(t, 0, (s) => ({
        ...s,
        behaviorLogProbs: s.behaviorLogProbs.map((x, i) => (i === 3 ? x - 0.5 : x)),
      })),
  ],
  [
    "log-prob-gap",
    "a version other than the one that sampled",
    (t) => ({
      ...t,
      policyVersion: 0,
      segments: t.segments.map((s) => (isSampled(s) ? { ...s, policyVersion: 0 } : s)),
    }),
  ],
  [
    "log-prob-gap",
    "a temperature other than the sampling temperature",
    (t) => withSampled(t, 0, (s) => ({ ...s, sampling: { ...s.sampling, temperature: 2 } })),
  ],
  [
    "kept-set-mismatch",
    "kept sets that make the tokens look certain",
    (t) =>
      withSampled(t, 0, (s) => ({
        ...s,
        keptTokenIds: s.tokenIds.map((id) => [id]),
        behaviorLogProbs: s.tokenIds.map(() => 0),
      })),
  ],
  [
    "kept-set-mismatch",
    "a top-k without its kept sets",
    (t) => withSampled(t, 0, (s) => ({ ...s, sampling: { ...s.sampling, topK: 5 } })),
  ],
  [
    "call-mismatch",
    "calls that are not in the tokens",
    (t) => ({
      ...t,
      turns: t.turns.map((turn) => ({
        ...turn,
        toolCalls: turn.toolCalls.map((call) => ({ ...call, arguments: { id: "x" } })),
      })),
    }),
  ],
  [
    "replay-mismatch at turn 1",
    "tool results that the shop does not return",
    (t) => ({
      ...t,
      turns: t.turns.map((turn) => ({
        ...turn,
        toolResults: turn.toolResults.map((r) => ({ callId: r.callId, ok: true, value: "sold" })),
      })),
    }),
  ],
  [
    "replay-mismatch",
    "given tokens that do not match the rendering",
    (t) => ({
      ...t,
      segments: t.segments.map((s, i) => (i === 0 ? { ...s, tokenIds: [...s.tokenIds, 65] } : s)),
    }),
  ],
  [
    "stop-mismatch",
    "completion that the task has not reached",
    (t) => ({ ...t, stopReason: "max-turns", terminated: false, truncated: true }),
  ],
  [
    "stop-mismatch",
    "a stop token in the middle of a turn",
    (t) =>
      withSampled(t, 0, (s) => ({
        ...s,
        tokenIds: s.tokenIds.map((id, i) => (i === 2 ? (format.stopTokenIds[0] as number) : id)),
      })),
  ],
  ["base-model-mismatch", "another base model", (t) => ({ ...t, baseModel: "d".repeat(64) })],
  [
    "unknown-policy-version",
    "a version that was never published",
    (t) => ({
      ...t,
      policyVersion: 9,
      segments: t.segments.map((s) => (isSampled(s) ? { ...s, policyVersion: 9 } : s)),
    }),
  ],
  ["assignment-mismatch", "another task", (t) => ({ ...t, task: { ...task, seed: 12 } })],
  [
    "unknown-token",
    "a token outside the vocabulary",
    (t) => withSampled(t, 0, (s) => ({ ...s, tokenIds: s.tokenIds.map(() => 5000) })),
  ],
];

test.each(forged)("rejected as %s: %s", async (reason, _, tamper) => {
  const { trajectory, outcome } = await check(tamper(await honest()));
  expect(outcome).toMatchObject({ status: "rejected", reason });
  expect(trajectory).toBeNull();
});

test("a digest that does not match the content is rejected", async () => {
  const trajectory = await honest();
  const leased = {
    digest: "e".repeat(64),
    visitorId: "00000000-0000-4000-8000-000000000000",
    receivedAt: "2026-01-01T00:00:00.000Z",
    trajectory,
    feedback: [],
  };
  const group = { groupId: leased.visitorId, task, size: 1, trajectories: [leased] };
  const { outcome } = await checker.check(leased, group, state);
  expect(outcome).toMatchObject({ status: "rejected", reason: "digest-mismatch" });
});

const skipped: readonly [reason: string, change: Tamper][] = [
  ["no-train-consent", (t) => ({ ...t, consent: { ...t.consent, scopes: ["collect"] } })],
  [
    "temperature-too-low",
    (t) => withSampled(t, 0, (s) => ({ ...s, sampling: { ...s.sampling, temperature: 1e-40 } })),
  ],
  ["aborted", (t) => ({ ...t, stopReason: "aborted", terminated: false, truncated: true })],
  [
    "reward-unavailable",
    (t) => ({ ...t, stopReason: "tool-error", terminated: false, truncated: true }),
  ],
];

test.each(skipped)(
  "skipped as %s: an honest trajectory that cannot be trained on",
  async (reason, change) => {
    const { outcome } = await check(change(await honest()));
    expect(outcome).toMatchObject({ status: "skipped", reason });
  },
);

test("a claimed failure of a page tool is learned as a failure", async () => {
  const trajectory = await honest();
  const error = { code: "TIMEOUT" as const, message: "slow" };
  const turns = trajectory.turns.map((turn, i) => ({
    ...turn,
    toolResults: turn.toolResults.map((result) =>
      i > 0 ? result : { callId: result.callId, ok: false as const, error },
    ),
  }));
  const { outcome, trajectory: learnable } = await check({ ...trajectory, turns });
  expect(outcome).toMatchObject({ status: "learned", reason: "page-tool-failed", reward: 0 });
  expect(learnable?.trajectory.turns).toHaveLength(1);
});

test("a trajectory older than the recipe allows is skipped as stale, with its metrics", async () => {
  const strict = createTrajectoryChecker({
    policy,
    adapterCache: { get: async () => adapter },
    replay: async () => ({ holds: true, verification: { reward: 1, success: true, parts: {} } }),
    maxStaleness: 0,
  });
  const { outcome } = await check(await honest(0), task, strict);
  // Version 2 was rolled back, so only version 1 counts between the two.
  expect(outcome).toMatchObject({ status: "skipped", reason: "stale", staleness: 1, reward: 1 });
});

test("sampling that an engine cannot replay is skipped with its metrics; a capable engine trains on it", async () => {
  const trajectory = await withScores(await honest(), 1, 0.8);
  const parts: TrajectoryCheckerOptions = {
    policy,
    adapterCache: { get: async () => adapter },
    replay: async () => ({ holds: true, verification: { reward: 1, success: true, parts: {} } }),
    maxStaleness: 4,
  };
  const remote = createTrajectoryChecker({ ...parts, servedSequences: [] });
  const { outcome } = await check(trajectory, task, remote);
  expect(outcome).toMatchObject({
    status: "skipped",
    reason: "engine-without-sampling",
    reward: 1,
  });
  const local = createTrajectoryChecker({ ...parts, servedSequences: ["temperatures"] });
  expect((await check(trajectory, task, local)).outcome.status).toBe("learned");
});
