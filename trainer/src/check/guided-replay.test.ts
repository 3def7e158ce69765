/** A replay gives the policy the guidance of the rollout's version. */
import { guidedEnvironment, rollOut, versionGuide } from "@waggle/agent";
import { demonstrate, EXPERT, SHOP } from "@waggle/demo/environment";
import {
  type Guidance,
  type LeasedTrajectory,
  type TaskReference,
  type Trajectory,
  trajectoryDigest,
  mulberry32,
} from "@waggle/protocol";
import type { AdaptivePolicy } from "@waggle/runtime/node";
import { ByteTokenizer, ScriptedPolicy } from "@waggle/testing";
import { createChatFormat, nanoTokenizerConfig } from "@waggle/text";
import { expect, test } from "vitest";
import { createReplay } from "./replay.ts";
import { initialState } from "../checkpoint/trainer-state.ts";
import { createTrajectoryChecker } from "./trajectory-check.ts";

const format = createChatFormat({
  tokenizer: new ByteTokenizer(),
  tokenizerConfig: nanoTokenizerConfig(8192),
});
const TASK: TaskReference = { environment: "shop", seed: 11, split: "train" };
const SAID: Guidance = {
  formatVersion: 1,
  prompt: "Be brief.",
  lessons: ["Look before you buy."],
  cases: null,
};
const ASSIGNMENT = "00000000-0000-4000-8000-000000000001";

async function rolledOut(said: Guidance | null): Promise<Trajectory> {
  const { turns } = await demonstrate(TASK, mulberry32(1), EXPERT);
  const policy = new ScriptedPolicy({
    turns: turns.map(({ text, toolCalls }) => format.encodeAssistant(text, toolCalls)),
    version: 1,
  });
  return rollOut({
    environment: guidedEnvironment(
      SHOP.create(TASK).environment,
      said === null ? null : versionGuide(said, ASSIGNMENT),
    ),
    policy,
    chatFormat: format,
    assignmentId: ASSIGNMENT,
    seed: 1,
    limits: { maxTurns: 8, maxTokensPerTurn: 1000, timeoutMs: 0 },
    consent: { version: "1", scopes: ["train"], grantedAt: new Date().toISOString() },
    client: { build: "0", backend: "scripted", device: "none", crossOriginIsolated: false },
  });
}

const replay = createReplay({
  format,
  contextLength: 8192,
  vocabularySize: format.stopTokenIds[0]! + 64,
  environments: [SHOP],
});

test("the version's guidance is replayed, and the reward is that of a fresh environment", async () => {
  const result = await replay(await rolledOut(SAID), SAID);
  expect(result).toMatchObject({ holds: true, verification: { success: true } });
});

test("guidance that differs from the version's is refused, and so is missing guidance", async () => {
  const refused = { holds: false, status: "rejected", reason: "replay-mismatch" };
  expect(await replay(await rolledOut(SAID))).toMatchObject(refused);
  expect(await replay(await rolledOut(null), SAID)).toMatchObject(refused);
  const other = { ...SAID, prompt: "Be long." };
  expect(await replay(await rolledOut(SAID), other)).toMatchObject(refused);
});

test("the checker looks up the guidance of the claimed version", async () => {
  const trajectory = await rolledOut(SAID);
  const seen: (Guidance | null | undefined)[] = [];
  const policy = { baseModel: trajectory.baseModel, vocabularySize: 100_000 };
  const reference = { sha256: "d".repeat(64), sizeBytes: 1 };
  const checker = createTrajectoryChecker({
    policy: policy as AdaptivePolicy,
    adapterCache: { get: () => Promise.reject(new Error("never")) },
    guidance: { get: async ({ sha256 }) => ({ ...SAID, prompt: sha256 }) },
    replay: async (_, guidance) => {
      seen.push(guidance);
      return { holds: false, status: "skipped", reason: "test" };
    },
    maxStaleness: 1,
  });
  const fresh = initialState({ baseModel: trajectory.baseModel, recipe: "r", seed: 1 });
  const leased: LeasedTrajectory = {
    digest: await trajectoryDigest(trajectory),
    trajectory,
    feedback: [],
    visitorId: ASSIGNMENT,
    receivedAt: "2026-01-01T00:00:00.000Z",
  };
  const group = { groupId: ASSIGNMENT, task: TASK, size: 1, trajectories: [leased] };
  for (const said of [{}, { guidance: reference }]) {
    const versions = [{ version: 1, adapter: null, ...said, isRolledBack: false }];
    await checker.check(leased, group, { ...fresh, versions });
  }
  expect(seen).toEqual([null, { ...SAID, prompt: reference.sha256 }]);
});
