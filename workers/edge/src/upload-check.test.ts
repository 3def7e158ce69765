/** Every check of an upload that needs no storage, with the limits that it accepts. */
import type { Segment, Trajectory } from "@waggle/protocol";
import { spanSeed, trajectoryDigest } from "@waggle/protocol";
import { expect, test } from "vitest";
import type { KnownBaseModel } from "./policy-store.ts";
import { checkDigest, checkTrajectory, type Knowledge, parseTrajectory } from "./upload-check.ts";

const TASK = { environment: "calculator", seed: 7, split: "train" } as const;
const ASSIGNMENT = "7f0c2a46-5a7e-4a57-9a51-1d1f6f1c2a11";
/** Of a task that the previous release assigned. */
const OLD_ASSIGNMENT = "7f0c2a46-5a7e-4a57-9a51-1d1f6f1c2a13";
const SEED = 1234;
const KNOWLEDGE: Knowledge = {
  baseModel: {
    reference: { sha256: "a".repeat(64) },
    vocabularySize: 10,
    contextLength: 6,
  } as unknown as KnownBaseModel,
  versions: new Set([0, 3]),
  assignments: new Map([
    [ASSIGNMENT, { ...TASK, samplingSeed: SEED }],
    [OLD_ASSIGNMENT, { ...TASK, samplingSeed: null }],
  ]),
  receipts: [],
  site: { consentDays: 30, level: "full", now: Date.parse("2026-11-21T10:00:00.000Z") },
};

const given = (id: string, parent: string | null, ...tokenIds: number[]): Segment => ({
  kind: "given",
  id,
  parent,
  role: "user",
  tokenIds,
});
const sampled = (id: string, parent: string, tokenIds: number[], more: object = {}): Segment => ({
  kind: "sampled",
  id,
  parent,
  policyVersion: 3,
  sampling: { temperature: 1, topK: 0, topP: 1, seed: 7 },
  grammar: null,
  tokenIds,
  behaviorLogProbs: tokenIds.map(() => -0.5),
  rawLogProbs: tokenIds.map(() => -0.5),
  entropies: tokenIds.map(() => 0.7),
  stopReason: "stop-token",
  ...more,
});
const SOUND: Trajectory = {
  schemaVersion: 1,
  id: "7f0c2a46-5a7e-4a57-9a51-1d1f6f1c2a10",
  task: TASK,
  assignmentId: ASSIGNMENT,
  consent: { version: "1", scopes: ["collect", "train"], grantedAt: "2026-11-20T10:00:00.000Z" },
  client: { build: "0.1.0", backend: "wasm", device: "wasm x1", crossOriginIsolated: false },
  baseModel: "a".repeat(64),
  policyVersion: 3,
  segments: [given("s0", null, 0, 9), sampled("s1", "s0", [3, 4]), given("s2", "s1", 1, 2)],
  turns: [{ segmentId: "s1", toolCalls: [], toolResults: [], parseError: null }],
  stopReason: "completed",
  terminated: true,
  truncated: false,
  startedAt: "2026-11-20T10:00:00.000Z",
  endedAt: "2026-11-20T10:00:01.000Z",
};
const consentOf = (grantedAt: string): Partial<Trajectory> => ({
  consent: { ...SOUND.consent, grantedAt },
});
const topK = { sampling: { temperature: 1, topK: 2, topP: 1, seed: 7 } };
const segments = (...all: Segment[]): Partial<Trajectory> => ({ segments: all });
/** Two turns, sampled with these seeds. */
const turnsOf = (first: number, second: number): Partial<Trajectory> =>
  segments(
    given("s0", null, 1),
    sampled("s1", "s0", [3], { sampling: { ...topK.sampling, topK: 0, seed: first } }),
    given("s2", "s1", 2),
    sampled("s3", "s2", [4], { sampling: { ...topK.sampling, topK: 0, seed: second } }),
  );

test.each<[string, Partial<Trajectory>]>([
  ["a path as long as the context", {}],
  [
    "branches that are short one by one",
    segments(
      given("s0", null, 1, 2),
      sampled("s1", "s0", [3, 4, 5, 6]),
      sampled("s2", "s0", [3, 4, 5, 6]),
    ),
  ],
  [
    "kept sets as large as top-k",
    segments(given("s0", null, 1), sampled("s1", "s0", [3], { ...topK, keptTokenIds: [[3, 9]] })),
  ],
  [
    "kept sets of any size without top-k",
    segments(given("s0", null, 1), sampled("s1", "s0", [3], { keptTokenIds: [[3, 4, 5]] })),
  ],
  ["a visitor's own request", { task: null, assignmentId: null }],
  [
    "version 0",
    {
      policyVersion: 0,
      segments: [given("s0", null, 1), sampled("s1", "s0", [3], { policyVersion: 0 })],
    },
  ],
  ["no sampled segment", segments(given("s0", null, 1))],
  [
    "the seed that was given",
    { ...turnsOf(spanSeed(SEED, 0), spanSeed(SEED, 1)), samplingSeed: SEED },
  ],
  ["a page of the previous release, which names no seed", turnsOf(1, 2)],
  ["a task that the previous release assigned", { assignmentId: OLD_ASSIGNMENT }],
  [
    "a choice to collect alone, of an own request",
    {
      task: null,
      assignmentId: null,
      consent: { ...SOUND.consent, scopes: ["collect"], choices: true },
    },
  ],
  ["a consent of 30 days", consentOf("2026-10-22T10:00:00.000Z")],
  ["a consent of a clock that is fast by a day", consentOf("2026-11-22T10:00:00.000Z")],
])("%s is accepted", (_, change) => {
  expect(() => checkTrajectory({ ...SOUND, ...change }, KNOWLEDGE)).not.toThrow();
});

test.each<[string, string, Partial<Trajectory>]>([
  [
    "consent to collect alone",
    "CONSENT_MISSING",
    { consent: { ...SOUND.consent, scopes: ["collect"] } },
  ],
  [
    "consent to train alone",
    "CONSENT_MISSING",
    { consent: { ...SOUND.consent, scopes: ["train"] } },
  ],
  [
    "a choice to collect alone, of an assigned task",
    "CONSENT_MISSING",
    { consent: { ...SOUND.consent, scopes: ["collect"], choices: true } },
  ],
  ["a consent of more than 30 days", "CONSENT_MISSING", consentOf("2026-10-22T09:59:59.000Z")],
  ["a consent from the future", "CONSENT_MISSING", consentOf("2026-11-22T10:00:01.000Z")],
  ["another base model", "POLICY_VERSION_UNKNOWN", { baseModel: "b".repeat(64) }],
  ["an unpublished version", "POLICY_VERSION_UNKNOWN", { policyVersion: 4 }],
  [
    "an unpublished version of a segment",
    "POLICY_VERSION_UNKNOWN",
    segments(
      given("s0", null, 1),
      sampled("s1", "s0", [3]),
      sampled("s2", "s1", [3], { policyVersion: 4 }),
    ),
  ],
  ["a version that is not the first segment's", "SCHEMA_INVALID", { policyVersion: 0 }],
  [
    "a given token outside the vocabulary",
    "SCHEMA_INVALID",
    segments(given("s0", null, 10), sampled("s1", "s0", [3])),
  ],
  [
    "a sampled token outside the vocabulary",
    "SCHEMA_INVALID",
    segments(given("s0", null, 1), sampled("s1", "s0", [10])),
  ],
  [
    "a kept id outside the vocabulary",
    "SCHEMA_INVALID",
    segments(given("s0", null, 1), sampled("s1", "s0", [3, 4], { keptTokenIds: [null, [4, 10]] })),
  ],
  [
    "a path longer than the context",
    "SCHEMA_INVALID",
    segments(given("s0", null, 1, 2), sampled("s1", "s0", [3, 4]), given("s2", "s1", 1, 2, 3)),
  ],
  [
    "a kept set above top-k",
    "SCHEMA_INVALID",
    segments(
      given("s0", null, 1),
      sampled("s1", "s0", [3], { ...topK, keptTokenIds: [[3, 4, 5]] }),
    ),
  ],
  [
    "an assignment of nobody",
    "ASSIGNMENT_MISMATCH",
    { assignmentId: "7f0c2a46-5a7e-4a57-9a51-1d1f6f1c2a12" },
  ],
  ["a task without an assignment", "ASSIGNMENT_MISMATCH", { assignmentId: null }],
  ["an assignment without a task", "ASSIGNMENT_MISMATCH", { task: null }],
  ["another environment", "ASSIGNMENT_MISMATCH", { task: { ...TASK, environment: "rooms" } }],
  ["another seed", "ASSIGNMENT_MISMATCH", { task: { ...TASK, seed: 8 } }],
  ["the other split", "ASSIGNMENT_MISMATCH", { task: { ...TASK, split: "heldOut" } }],
  [
    "a seed that was not given",
    "SEED_MISMATCH",
    { ...turnsOf(spanSeed(7, 0), spanSeed(7, 1)), samplingSeed: 7 },
  ],
  [
    "a second turn with another seed",
    "SEED_MISMATCH",
    { ...turnsOf(spanSeed(SEED, 0), spanSeed(SEED, 2)), samplingSeed: SEED },
  ],
  [
    "a seed where none was given",
    "SEED_MISMATCH",
    { ...segments(given("s0", null, 1)), assignmentId: OLD_ASSIGNMENT, samplingSeed: SEED },
  ],
  [
    "an own request whose second turn has another seed",
    "SEED_MISMATCH",
    {
      ...turnsOf(spanSeed(SEED, 0), spanSeed(SEED, 2)),
      task: null,
      assignmentId: null,
      samplingSeed: SEED,
    },
  ],
])("%s is refused with %s", (_, code, change) => {
  expect(() => checkTrajectory({ ...SOUND, ...change }, KNOWLEDGE)).toThrow(
    expect.objectContaining({ code }) as object,
  );
});

test("an edge that knows no base model accepts none, and one without a context length assumes a long one", () => {
  const unknown = expect.objectContaining({ code: "POLICY_VERSION_UNKNOWN" }) as object;
  expect(() => checkTrajectory(SOUND, { ...KNOWLEDGE, baseModel: null })).toThrow(unknown);
  const { contextLength: _, ...short } = KNOWLEDGE.baseModel as KnownBaseModel;
  const long = segments({ ...given("s0", null), tokenIds: Array<number>(131_072).fill(1) });
  const knowledge = { ...KNOWLEDGE, baseModel: short as KnownBaseModel };
  expect(() => checkTrajectory({ ...SOUND, ...long }, knowledge)).not.toThrow();
  const longer = segments({ ...given("s0", null), tokenIds: Array<number>(131_073).fill(1) });
  expect(() => checkTrajectory({ ...SOUND, ...longer }, knowledge)).toThrow(/131073 tokens/);
});

test("a trajectory is parsed, and refused by version before its members are looked at", () => {
  expect(parseTrajectory(SOUND)).toEqual(SOUND);
  const refused = (value: unknown, code: string): void => {
    expect(() => parseTrajectory(value)).toThrow(expect.objectContaining({ code }) as object);
  };
  refused({ schemaVersion: 2 }, "SCHEMA_VERSION_UNSUPPORTED");
  for (const value of [null, "text", {}, { ...SOUND, id: "x" }, { schemaVersion: "2" }]) {
    refused(value, "SCHEMA_INVALID");
  }
});

test("a digest is that of the canonical trajectory", async () => {
  await expect(checkDigest(SOUND, await trajectoryDigest(SOUND))).resolves.toBeUndefined();
  const other = await trajectoryDigest({ ...SOUND, policyVersion: 0 });
  await expect(checkDigest(SOUND, other)).rejects.toMatchObject({ code: "DIGEST_MISMATCH" });
});
