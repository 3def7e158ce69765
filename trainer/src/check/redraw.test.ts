/** Records of a real sampler, honest and not, against the check that draws their tokens again. */
import { type DecoderConfig, initializeDecoder } from "@waggle/model";
import {
  FULL_SUPPORT,
  type SampledSegment,
  type Sampling,
  type Segment,
  sfc32,
  spanSeed,
  toTrainingSamples,
  type Trajectory,
  trajectoryDigest,
  type TrajectoryOutcome,
} from "@waggle/protocol";
import { createNodePolicy } from "@waggle/runtime/node";
import { afterAll, describe, expect, test } from "vitest";
import { initialState, type TrainerState } from "../checkpoint/trainer-state.ts";
import { TINY, TINY_BASE } from "../edge-training/training.fixture.ts";
import { isRedrawable } from "./redraw.ts";
import { type CheckedTrajectory, createTrajectoryChecker } from "./trajectory-check.ts";

const config: DecoderConfig = { ...TINY, vocabularySize: 40, contextLength: 256 };
const policy = await createNodePolicy({
  config,
  weights: initializeDecoder(config, 5),
  baseModel: TINY_BASE,
  kernels: "wasm",
});
/** The trainer's own, on the native library. */
const own = await createNodePolicy({
  config,
  weights: initializeDecoder(config, 5),
  baseModel: TINY_BASE,
  threads: 1,
});
afterAll(() => Promise.all([policy.dispose(), own.dispose()]));

const SEED = 77;
const TOKENS = 24;
const task = { environment: "rooms", seed: 1, split: "train" } as const;
const state: TrainerState = initialState({ baseModel: TINY_BASE, recipe: "dr-grpo-tis", seed: 1 });
const checker = createTrajectoryChecker({
  policy: own,
  adapterCache: { get: () => Promise.reject(new Error("no adapter in this test")) },
  // Replay is tested elsewhere, and the turns here are no text.
  replay: async () => ({ holds: true, verification: { reward: 1, success: true, parts: {} } }),
  maxStaleness: 0,
});

type Turn = {
  readonly sampling?: Partial<Sampling>;
  /** Absent: the last segment before it. */
  readonly parent?: string;
};

/** A record of turns that a page samples, each from its own seed. */
async function record(turns: readonly Turn[] = [{}, {}], seed = SEED): Promise<Trajectory> {
  const segments: Segment[] = [given("g", null, [1, 2, 3])];
  for (const [i, { sampling = {}, parent = segments.at(-1)?.id ?? null }] of turns.entries()) {
    const path = pathOf(segments, parent);
    const context = await policy.createContext();
    context.append(path.flatMap(({ tokenIds }) => tokenIds));
    const drawn: Sampling = { ...FULL_SUPPORT, ...sampling, seed: spanSeed(seed, i) };
    const sample = await context.generate({
      sampling: drawn,
      stopTokenIds: [],
      maxTokens: TOKENS,
    });
    context.dispose();
    const { tokenIds, behaviorLogProbs, rawLogProbs, entropies, keptTokenIds } = sample;
    segments.push({
      kind: "sampled",
      id: `t${i}`,
      parent,
      policyVersion: 0,
      sampling: drawn,
      grammar: null,
      tokenIds,
      behaviorLogProbs,
      rawLogProbs,
      entropies,
      ...(keptTokenIds && { keptTokenIds }),
      stopReason: "max-tokens",
    });
    segments.push(given(`g${i}`, `t${i}`, [4, 5]));
  }
  const at = "2026-11-28T10:00:00.000Z";
  return {
    schemaVersion: 1,
    id: "7f0c2a46-5a7e-4a57-9a51-1d1f6f1c2a10",
    task,
    assignmentId: null,
    samplingSeed: seed,
    consent: { version: "1", scopes: ["collect", "train"], grantedAt: new Date().toISOString() },
    client: policy.client,
    baseModel: TINY_BASE,
    policyVersion: 0,
    segments,
    turns: [],
    stopReason: "max-turns",
    terminated: false,
    truncated: true,
    startedAt: at,
    endedAt: at,
  };
}

const given = (id: string, parent: string | null, tokenIds: number[]): Segment => ({
  kind: "given",
  id,
  parent,
  role: "user",
  tokenIds,
});

function pathOf(segments: readonly Segment[], leaf: string | null): Segment[] {
  const last = segments.find(({ id }) => id === leaf);
  return last === undefined ? [] : [...pathOf(segments, last.parent), last];
}

async function check(trajectory: Trajectory): Promise<CheckedTrajectory> {
  const digest = await trajectoryDigest(trajectory);
  const visitorId = "00000000-0000-4000-8000-000000000000";
  const leased = { digest, visitorId, receivedAt: "", trajectory, feedback: [] };
  const group = { groupId: visitorId, task, size: 1, trajectories: [leased] };
  return checker.check(leased, group, state);
}

const outcomeOf = async (trajectory: Trajectory): Promise<TrajectoryOutcome> =>
  (await check(trajectory)).outcome;

/** The record with other sampled segments, whose log-probs are those of the policy. */
async function claiming(
  trajectory: Trajectory,
  change: (segment: SampledSegment) => Partial<SampledSegment>,
): Promise<Trajectory> {
  const changed = {
    ...trajectory,
    segments: trajectory.segments.map((segment) =>
      segment.kind === "given" ? segment : { ...segment, ...change(segment) },
    ),
  };
  const [sample] = toTrainingSamples(changed);
  if (sample === undefined) throw new Error("nothing was sampled");
  const { tokenIds, keptTokenIds } = sample.sequence;
  const temperature = sample.spans[0]?.segment.sampling.temperature ?? 1;
  const scores = await policy.score({
    tokenIds,
    sampling: { ...FULL_SUPPORT, temperature },
    ...(keptTokenIds && { keptTokenIds }),
  });
  const starts = new Map(sample.spans.map(({ segment, start }) => [segment.id, start]));
  return {
    ...changed,
    segments: changed.segments.map((segment) => {
      const start = starts.get(segment.id);
      if (segment.kind === "given" || start === undefined) return segment;
      const end = start + segment.tokenIds.length;
      return {
        ...segment,
        behaviorLogProbs: scores.behaviorLogProbs.slice(start, end),
        rawLogProbs: scores.rawLogProbs.slice(start, end),
      };
    }),
  };
}

describe("an honest record is accepted", () => {
  test.each<[string, readonly Turn[]]>([
    ["of two turns", [{}, {}]],
    ["at another temperature", [{ sampling: { temperature: 0.6 } }]],
    ["with top-k", [{ sampling: { topK: 5 } }, { sampling: { topK: 2 } }]],
    ["with top-p", [{ sampling: { topP: 0.7, temperature: 1.3 } }]],
    ["with top-k of 1, which leaves one token", [{ sampling: { topK: 1 } }]],
    ["whose turns differ in how they are sampled", [{}, { sampling: { topK: 3, topP: 0.9 } }]],
    ["with a branch", [{}, { parent: "g" }, { parent: "t0" }]],
  ])("%s", async (_, turns) => {
    const outcome = await outcomeOf(await record(turns));
    expect(outcome).toMatchObject({ status: "learned", drawMismatches: 0 });
  });

  test("cut in the middle of a turn, as after an abort or a limit", async () => {
    const whole = await record([{}]);
    const cut = await claiming(whole, ({ tokenIds }) => ({ tokenIds: tokenIds.slice(0, 5) }));
    expect(await outcomeOf(cut)).toMatchObject({ status: "learned", drawMismatches: 0 });
  });

  test("without a seed of the edge, as from a page of the previous release", async () => {
    const { samplingSeed: _, ...unnamed } = await record();
    expect(await outcomeOf(unnamed)).toMatchObject({ status: "learned", drawMismatches: 0 });
  });

  test("of another runtime, without being drawn again", async () => {
    const { samplingSeed: _, ...unnamed } = await record();
    const foreign = await claiming(
      { ...unnamed, client: { ...policy.client, backend: "server" } },
      ({ sampling }) => ({ sampling: { ...sampling, seed: 1 } }),
    );
    const outcome = await outcomeOf(foreign);
    expect(outcome.status).toBe("learned");
    expect(outcome).not.toHaveProperty("drawMismatches");
  });
});

describe("a record is rejected as not drawn from its seed", () => {
  const refusal = { status: "rejected", reason: "not-drawn-from-seed" };

  test("if the tokens come from another seed", async () => {
    const other = await record([{}, {}], SEED + 1);
    const claimed = await claiming({ ...other, samplingSeed: SEED }, ({ id, sampling }) => ({
      sampling: { ...sampling, seed: spanSeed(SEED, Number(id.slice(1))) },
    }));
    const outcome = await outcomeOf(claimed);
    expect(outcome).toMatchObject(refusal);
    expect(outcome.drawMismatches).toBeGreaterThan(TOKENS);
    expect(outcome.logProbGapMax).toBeLessThan(1e-4);
  });

  test("if the seeds of its turns do not follow from the seed that it names", async () => {
    expect(await outcomeOf({ ...(await record()), samplingSeed: SEED + 1 })).toMatchObject(refusal);
  });

  test("if one token was replaced", async () => {
    const whole = await record([{}]);
    const claimed = await claiming(whole, ({ tokenIds }) => ({
      tokenIds: tokenIds.with(3, ((tokenIds[3] as number) + 20) % config.vocabularySize),
    }));
    expect(await outcomeOf(claimed)).toMatchObject({ ...refusal, drawMismatches: 1 });
  });

  test("if another temperature is claimed", async () => {
    const whole = await record([{ sampling: { temperature: 0.5 } }, {}]);
    const claimed = await claiming(whole, ({ sampling }) => ({
      sampling: { ...sampling, temperature: 1 },
    }));
    expect(await outcomeOf(claimed)).toMatchObject(refusal);
  });

  test("if kept sets are claimed that leave only the tokens of the record", async () => {
    const written = await claiming(await record([{}]), ({ sampling, tokenIds }) => {
      const other = tokenIds.map((id) => (id + 7) % config.vocabularySize);
      return {
        tokenIds: other,
        sampling: { ...sampling, topK: 1 },
        keptTokenIds: other.map((id) => [id]),
      };
    });
    const outcome = await outcomeOf(written);
    expect(outcome).toMatchObject(refusal);
    expect(outcome.logProbGapMax).toBe(0);
  });

  test("if it names a seed of the edge, whatever it says about the client", async () => {
    const other = await record([{}], SEED + 1);
    const claimed = await claiming(
      { ...other, samplingSeed: SEED, client: { ...policy.client, backend: "server" } },
      ({ sampling }) => ({ sampling: { ...sampling, seed: spanSeed(SEED, 0) } }),
    );
    expect(await outcomeOf(claimed)).toMatchObject(refusal);
  });
});

test("only records of this runtime, or with a seed of the edge, can be drawn again", async () => {
  const { samplingSeed: _, ...unnamed } = await record([{}]);
  const by = (backend: Trajectory["client"]["backend"]) =>
    isRedrawable({ ...unnamed, client: { ...policy.client, backend } });
  expect([by("wasm"), by("webgpu"), by("server"), by("scripted")]).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

/** Plain and slow: the softmax over all tokens from one scoring call for each, then the token that the number selects. */
async function twin(
  prefix: readonly number[],
  sampling: Sampling,
  uniform: number,
): Promise<number> {
  const scored = Array.from({ length: config.vocabularySize }, async (_, id) => {
    const tokenIds = [...prefix, id];
    const { rawLogProbs } = await own.score({ tokenIds, sampling: FULL_SUPPORT });
    return rawLogProbs.at(-1) as number;
  });
  const logits = await Promise.all(scored);
  const ranked = logits.map((_, id) => id).sort((a, b) => logits[b]! - logits[a]! || a - b);
  const kept = (sampling.topK > 0 ? ranked.slice(0, sampling.topK) : ranked).sort((a, b) => a - b);
  const weights = kept.map((id) => Math.exp(logits[id]! / sampling.temperature));
  let left = uniform * weights.reduce((sum, weight) => sum + weight, 0);
  for (const [i, weight] of weights.entries()) {
    if (left < weight) return kept[i] as number;
    left -= weight;
  }
  return kept.at(-1) as number;
}

test.each([
  { temperature: 1, topK: 0 },
  { temperature: 0.7, topK: 4 },
])(
  "a plain twin draws the same tokens, with temperature $temperature and top-k $topK",
  async (sampling) => {
    const { segments } = await record([{ sampling }]);
    const [before, drawn] = segments as [Segment, SampledSegment];
    const random = sfc32(drawn.sampling.seed);
    const prefix = [...before.tokenIds];
    for (const id of drawn.tokenIds.slice(0, 10)) {
      expect(await twin(prefix, drawn.sampling, random())).toBe(id);
      prefix.push(id);
    }
  },
);

test("recipes get the trainer's own entropies and raw log-probs, whatever the record says", async () => {
  const honest = await record();
  const forged: Trajectory = {
    ...honest,
    segments: honest.segments.map((segment) =>
      segment.kind === "given"
        ? segment
        : {
            ...segment,
            entropies: segment.entropies.map(() => 50),
            rawLogProbs: segment.rawLogProbs.map(() => -9),
          },
    ),
  };
  const learned = async (trajectory: Trajectory) => {
    const checked = (await check(trajectory)).trajectory?.trajectory.samples ?? [];
    return checked.flatMap(({ spans }) =>
      spans.map(({ segment: { entropies, rawLogProbs } }) => ({ entropies, rawLogProbs })),
    );
  };
  const [own, ofForged] = [await learned(honest), await learned(forged)];
  expect(own).toHaveLength(2);
  expect(ofForged).toEqual(own);
  const recorded = honest.segments.flatMap((s) => (s.kind === "given" ? [] : s.entropies));
  const gaps = own.flatMap(({ entropies }) => entropies).map((x, i) => Math.abs(x - recorded[i]!));
  expect(gaps).toHaveLength(2 * TOKENS);
  expect(Math.max(...gaps)).toBeLessThan(1e-3);
});
