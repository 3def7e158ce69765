import { expect, test } from "vitest";
import { pathTo, Trajectory } from "./trajectory.ts";

const given = (id: string, parent: string | null, tokenIds: number[]) => ({
  kind: "given",
  id,
  parent,
  role: "user",
  tokenIds,
});
const sampled = (id: string, parent: string | null, tokenIds: number[]) => ({
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
});
const trajectory = (change: object = {}) => ({
  schemaVersion: 1,
  id: "7f0c2a46-5a7e-4a57-9a51-1d1f6f1c2a10",
  task: null,
  assignmentId: null,
  consent: { version: "1", scopes: ["collect", "train"], grantedAt: "2026-11-20T10:00:00.000Z" },
  client: { build: "0.1.0", backend: "wasm", device: "wasm x1", crossOriginIsolated: false },
  baseModel: "a".repeat(64),
  policyVersion: 3,
  segments: [given("s0", null, [1, 2]), sampled("s1", "s0", [3, 4]), given("s2", "s1", [5])],
  turns: [{ segmentId: "s1", toolCalls: [], toolResults: [], parseError: null }],
  stopReason: "completed",
  terminated: true,
  truncated: false,
  startedAt: "2026-11-20T10:00:00.000Z",
  endedAt: "2026-11-20T10:00:01.000Z",
  ...change,
});

test("a valid trajectory parses unchanged", () => {
  expect(Trajectory.parse(trajectory())).toEqual(trajectory());
});

test.each([
  [
    "a number missing for a token",
    { segments: [{ ...sampled("s1", null, [1, 2]), entropies: [0.1] }] },
  ],
  ["a positive log-prob", { segments: [{ ...sampled("s1", null, [1]), behaviorLogProbs: [0.5] }] }],
  [
    "a log-prob that is not a number",
    { segments: [{ ...sampled("s1", null, [1]), rawLogProbs: [Number.NaN] }] },
  ],
  ["a parent that comes later", { segments: [given("s0", "s1", [1]), sampled("s1", null, [2])] }],
  ["a segment id used twice", { segments: [given("s1", null, [1]), sampled("s1", "s1", [2])] }],
  [
    "a turn that names a given segment",
    { turns: [{ segmentId: "s0", toolCalls: [], toolResults: [], parseError: null }] },
  ],
  [
    "kept ids out of order",
    { segments: [{ ...sampled("s1", null, [3]), keptTokenIds: [[5, 3]] }] },
  ],
  ["a kept id twice", { segments: [{ ...sampled("s1", null, [3]), keptTokenIds: [[3, 3]] }] }],
  ["both terminated and truncated", { truncated: true }],
  ["an unknown member", { reward: 1 }],
  ["another schema version", { schemaVersion: 2 }],
  ["a negative token id", { segments: [given("s0", null, [-1]), sampled("s1", "s0", [2])] }],
])("refuses %s", (_name, change) => {
  expect(Trajectory.safeParse(trajectory(change)).success).toBe(false);
});

test("a path runs from the root to the leaf and omits other branches", () => {
  const branched = Trajectory.parse(
    trajectory({
      segments: [
        given("s0", null, [1]),
        sampled("s1", "s0", [2]),
        sampled("s2", "s0", [3]),
        given("s3", "s2", [4]),
      ],
    }),
  );
  expect(pathTo(branched, "s3").map((segment) => segment.id)).toEqual(["s0", "s2", "s3"]);
});
