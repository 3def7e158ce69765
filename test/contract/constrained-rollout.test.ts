/**
 * Tool calls under grammars, from the page's loop to the trainer: sampler, check and engine compute the same numbers,
 * and only the grammar that an honest page uses is accepted.
 */
import { join } from "node:path";
import { rollOut } from "@waggle/agent";
import { judgedRollout } from "@waggle/agent/environments";
import { SHOP } from "@waggle/demo/environment";
import { FULL_SUPPORT, toTrainingSamples, trajectoryDigest } from "@waggle/protocol";
import type { GrammarSpec, SampledSegment, TaskReference, Trajectory } from "@waggle/protocol";
import { grammarId } from "@waggle/text/grammar";
import { afterAll, expect, test } from "vitest";
import { rollOutTask, type TaskRollOut } from "../../packages/embed/src/task-roll-out.ts";
import { expandGrammars } from "../../trainer/src/check/grammar-expansion.ts";
import { LOG_PROB_BAND } from "../../trainer/src/check/trajectory-check.ts";
import { grammarsOf } from "../../trainer/src/model/model-grammars.ts";
import { readBaseModel } from "../../trainer/src/model/base-model.ts";
import { openEngine, openPolicy } from "../../trainer/src/model/open-model.ts";
import { initialState } from "../../trainer/src/checkpoint/trainer-state.ts";
import type { CheckedTrajectory } from "../../trainer/src/check/trajectory-check.ts";
import { checkerOf } from "../fixtures/trajectory-checker.ts";

const model = await readBaseModel(join(import.meta.dirname, "../../packages/model/nano"));
const policy = await openPolicy(model, 1);
afterAll(() => policy.dispose());

const grammars = grammarsOf(model, policy.vocabularySize);
const checker = checkerOf(model.format, { policy, grammars });

const task: TaskReference = { environment: "shop", seed: 3, split: "train" };

function rollout(seed: number, constrainToolCalls: boolean, topK = 0): Promise<Trajectory> {
  return rollOut({
    policy,
    environment: SHOP.create(task).environment,
    chatFormat: model.format,
    // Hot enough to produce every kind of mistake without a grammar.
    sampling: { ...FULL_SUPPORT, temperature: 4, topK },
    constrainToolCalls,
    limits: { maxTurns: 4, maxTokensPerTurn: 48, timeoutMs: 0 },
    consent: { version: "1", scopes: ["train"], grantedAt: new Date().toISOString() },
    client: { build: "0", backend: "node-cpu", device: "none", crossOriginIsolated: false },
    seed,
  });
}

async function check(trajectory: Trajectory): Promise<CheckedTrajectory> {
  const id = "00000000-0000-4000-8000-000000000000";
  const digest = await trajectoryDigest(trajectory);
  const receivedAt = "2026-01-01T00:00:00.000Z";
  const leased = { digest, visitorId: id, receivedAt, trajectory, feedback: [] };
  const group = { groupId: id, task, size: 1, trajectories: [leased] };
  const state = initialState({ baseModel: model.reference.sha256, recipe: "grpo", seed: 1 });
  return checker.check(leased, group, state);
}

const isSampled = (segment: Trajectory["segments"][number]): segment is SampledSegment =>
  segment.kind === "sampled";
const faultsOf = ({ turns }: Trajectory) =>
  turns.filter(
    ({ parseError, toolResults }) =>
      parseError !== null ||
      toolResults.some(
        (result) =>
          !result.ok && ["UNKNOWN_TOOL", "INVALID_TOOL_ARGUMENTS"].includes(result.error.code),
      ),
  ).length;

test("constrained turns are never unreadable, cut off or refused by their tools; free turns are", async () => {
  let free = 0;
  for (let seed = 1; seed <= 12; seed++) {
    const constrained = await rollout(seed, true);
    expect(faultsOf(constrained)).toBe(0);
    expect(["completed", "max-turns"]).toContain(constrained.stopReason);
    const loose = await rollout(seed, false);
    expect(loose.grammars).toBeUndefined();
    free += faultsOf(loose) + (["completed", "max-turns"].includes(loose.stopReason) ? 0 : 1);
  }
  expect(free).toBeGreaterThan(6);
});

test.each([0, 12])(
  "tokens sampled under a grammar and top-k %i are re-scored and learned with the allowed set",
  async (topK) => {
    const engine = await openEngine(model, "cpu", { rank: 4, alpha: 8, seed: 1 }, { threads: 1 });
    let masked = 0;
    for (let seed = 1; seed <= 4; seed++) {
      const trajectory = await rollout(seed, true, topK);
      const [id = ""] = Object.keys(trajectory.grammars ?? {});
      expect(await grammarId(trajectory.grammars?.[id] as GrammarSpec)).toBe(id);
      const sampled = trajectory.segments.filter(isSampled);
      expect(sampled.map(({ grammar }) => grammar)).toEqual(sampled.map(() => id));

      const { outcome, trajectory: learnable } = await check(trajectory);
      expect(outcome).toMatchObject({ status: "learned", drawMismatches: 0 });
      expect(outcome.logProbGapMax).toBeLessThan(1e-4);
      const sample = learnable?.trajectory.samples[0];
      const outputs = await engine.forward({ sequences: [sample!.sequence] });
      const gaps = sample!.lossMask.flatMap((isLearned, t) =>
        isLearned ? [Math.abs(outputs.logProb[0]![t]! - sample!.behaviorLogProbs[t]!)] : [],
      );
      expect(Math.max(...gaps)).toBeLessThan(1e-4);
      masked += sample!.sequence.keptTokenIds?.filter((kept) => kept !== null).length ?? 0;
    }
    expect(masked).toBeGreaterThan(20);
    await engine.dispose();
  },
);

/** `[samples]` largest distance of the engine's log-probs from the recorded ones. */
async function gapsOf(trajectory: Trajectory, isMasked: boolean): Promise<number> {
  const engine = await openEngine(model, "cpu", { rank: 4, alpha: 8, seed: 1 }, { threads: 1 });
  const [sample] = toTrainingSamples(trajectory);
  const { keptTokenIds, ...free } = sample!.sequence;
  const sequence = isMasked ? { ...free, keptTokenIds: keptTokenIds! } : free;
  const { logProb } = await engine.forward({ sequences: [sequence] });
  await engine.dispose();
  const gaps = sample!.lossMask.flatMap((isLearned, t) =>
    isLearned ? [Math.abs(logProb[0]![t]! - sample!.behaviorLogProbs[t]!)] : [],
  );
  return Math.max(...gaps);
}

test("practice and evaluation are constrained by default, and only the mask explains their log-probs", async () => {
  const { signal } = new AbortController();
  const sampling = { ...FULL_SUPPORT, temperature: 2 };
  const practice = (seed: number, options: TaskRollOut["options"]) =>
    rollOutTask(
      {
        policy,
        chatFormat: model.format,
        client: policy.client,
        guide: () => null,
      },
      {
        environment: SHOP.create(task).environment,
        assignment: { assignmentId: "00000000-0000-4000-8000-000000000000" },
        signal,
        options: { sampling, ...options },
        consent: { version: "1", scopes: ["train"], grantedAt: new Date().toISOString() },
        seed,
      },
    );
  const parts = { policy, format: model.format, sampling, environments: [SHOP] };
  let dropped = 0;
  for (let seed = 1; seed <= 3; seed++) {
    const evaluated = await judgedRollout(parts, task, seed, signal);
    for (const trajectory of [await practice(seed, {}), evaluated.record]) {
      const isRecorded = trajectory.segments
        .filter(isSampled)
        .every(({ grammar, tokenBudget }) => grammar !== null && tokenBudget !== undefined);
      expect(isRecorded).toBe(true);
      const expanded = await expandGrammars(trajectory, grammars, policy.vocabularySize);
      expect(await gapsOf(expanded!, true)).toBeLessThan(1e-4);
      dropped = Math.max(dropped, await gapsOf(expanded!, false));
    }
  }
  // Without the mask, the log-probs are far outside the band for honest visitors.
  expect(dropped).toBeGreaterThan(LOG_PROB_BAND.max);
  const free = await practice(1, { constrainToolCalls: false });
  expect(free.segments.filter(isSampled).every(({ grammar }) => grammar === null)).toBe(true);
  const freely = await judgedRollout({ ...parts, constrainToolCalls: false }, task, 1, signal);
  expect(freely.record.grammars).toBeUndefined();
});

const REGEX: GrammarSpec = { kind: "regex", pattern: "[\\s\\S]*" };

async function underGrammar(trajectory: Trajectory, spec: GrammarSpec): Promise<Trajectory> {
  const id = await grammarId(spec);
  const segments = trajectory.segments.map((s) => (isSampled(s) ? { ...s, grammar: id } : s));
  return { ...trajectory, grammars: { [id]: spec }, segments };
}

const [specOf, changed] = [
  ({ grammars }: Trajectory) => Object.values(grammars ?? {})[0] as GrammarSpec,
  (trajectory: Trajectory, change: (segment: SampledSegment) => object): Trajectory => ({
    ...trajectory,
    segments: trajectory.segments.map((s) => (isSampled(s) ? { ...s, ...change(s) } : s)),
  }),
];

test.each<[string, (trajectory: Trajectory) => Trajectory | Promise<Trajectory>]>([
  ["another kind of grammar", (t) => underGrammar(t, REGEX)],
  [
    "a tool that the task does not have",
    (t) => {
      const spec = specOf(t);
      const tools = spec.kind === "tool-calls" ? spec.tools.slice(1) : [];
      return underGrammar(t, { ...spec, tools } as GrammarSpec);
    },
  ],
  [
    "a different grammar under the same id",
    (t) => {
      const [id = ""] = Object.keys(t.grammars ?? {});
      return { ...t, grammars: { [id]: REGEX } };
    },
  ],
  ["an id that is no grammar's", (t) => changed(t, () => ({ grammar: "0".repeat(64) }))],
  ["no grammar under its id", (t) => ({ ...t, grammars: undefined })],
  [
    "a budget that its tokens exceed",
    (t) => changed(t, (s) => ({ tokenBudget: s.tokenIds.length - 1 })),
  ],
  ["no budget", (t) => changed(t, () => ({ tokenBudget: undefined }))],
])("%s is refused", async (_, tamper) => {
  const { outcome } = await check(await tamper(await rollout(1, true)));
  expect(outcome).toMatchObject({ status: "rejected", reason: "grammar-mismatch" });
});

test("a missing grammar, and one that was not used, are detected in the log-probs", async () => {
  const constrained = await rollout(1, true);
  const free = await rollout(1, false);
  const hidden = await check(changed(constrained, () => ({ grammar: null })));
  expect(hidden.outcome).toMatchObject({ status: "rejected", reason: "log-prob-gap" });
  const spec = specOf(constrained);
  const id = await grammarId(spec);
  const claimed = await check({
    ...changed(free, () => ({ grammar: id, tokenBudget: 48 })),
    grammars: { [id]: spec },
  });
  expect(claimed.outcome.status).toBe("rejected");
});
