/** What the schema refuses beyond shapes: arrays of unlike length, broken trees, turns without a sampled segment. */
import { expect, test } from "vitest";
import { pathTo, Trajectory } from "./trajectory.ts";

const SAMPLED = {
  kind: "sampled",
  id: "s1",
  parent: "s0",
  policyVersion: 3,
  sampling: { temperature: 1, topK: 0, topP: 1, seed: 7 },
  grammar: null,
  tokenIds: [3, 4],
  behaviorLogProbs: [-0.5, -0.5],
  rawLogProbs: [-0.5, -0.5],
  entropies: [0.7, 0.7],
  stopReason: "stop-token",
};
const GIVEN = { kind: "given", id: "s0", parent: null, role: "user", tokenIds: [1, 2] };
const TRAJECTORY = {
  schemaVersion: 1,
  id: "7f0c2a46-5a7e-4a57-9a51-1d1f6f1c2a10",
  task: null,
  assignmentId: null,
  consent: { version: "1", scopes: ["collect"], grantedAt: "2026-11-20T10:00:00.000Z" },
  client: { build: "0.1.0", backend: "wasm", device: "wasm x1", crossOriginIsolated: false },
  baseModel: "a".repeat(64),
  policyVersion: 3,
  segments: [GIVEN, SAMPLED],
  turns: [{ segmentId: "s1", toolCalls: [], toolResults: [], parseError: null }],
  stopReason: "completed",
  terminated: true,
  truncated: false,
  startedAt: "2026-11-20T10:00:00.000Z",
  endedAt: "2026-11-20T10:00:01.000Z",
};

const withSampled = (change: object): object => ({
  ...TRAJECTORY,
  segments: [GIVEN, { ...SAMPLED, ...change }],
});

/** `<path>: <message>` of each issue. */
function issuesOf(value: object): string[] {
  const result = Trajectory.safeParse(value);
  return (result.error?.issues ?? []).map(({ path, message }) => `${path.join(".")}: ${message}`);
}

test.each([
  ["behaviorLogProbs", [-0.5]],
  ["rawLogProbs", [-0.5, -0.5, -0.5]],
  ["entropies", []],
  ["keptTokenIds", [[3]]],
])("a sampled segment with another length of %s is refused", (name, values) => {
  expect(issuesOf(withSampled({ [name]: values }))).toEqual([
    "segments.1: every array of a sampled segment must have one entry per token",
  ]);
});

test("kept ids may be one per token, or null where all were kept", () => {
  expect(issuesOf(withSampled({ keptTokenIds: [[1, 3, 9], null] }))).toEqual([]);
  expect(issuesOf(withSampled({ keptTokenIds: [[], [0]] }))).toEqual([]);
});

test("rounding may carry a log-prob a thousandth above 0, and an entropy below", () => {
  const rounding = { behaviorLogProbs: [1e-3, 0], entropies: [-1e-3, 0] };
  expect(issuesOf(withSampled(rounding))).toEqual([]);
  expect(issuesOf(withSampled({ rawLogProbs: [2e-3, 0] }))).toHaveLength(1);
  expect(issuesOf(withSampled({ entropies: [-2e-3, 0] }))).toHaveLength(1);
});

test("each fault of the tree is named with its place", () => {
  const segments = [GIVEN, { ...SAMPLED, parent: "later" }, { ...SAMPLED, parent: null }];
  const turns = [
    { ...TRAJECTORY.turns[0], segmentId: "s0" },
    { ...TRAJECTORY.turns[0], segmentId: "x" },
  ];
  expect(issuesOf({ ...TRAJECTORY, segments, turns, truncated: true })).toEqual([
    "segments.1: names a parent that does not come before it",
    "segments.2: repeats a segment id",
    "turns.0.segmentId: must name a sampled segment",
    "turns.1.segmentId: must name a sampled segment",
    "terminated: exactly one of terminated and truncated must be true",
  ]);
});

test("a trajectory that was neither ended nor cut is refused, and a cut one is accepted", () => {
  expect(issuesOf({ ...TRAJECTORY, terminated: false })).toHaveLength(1);
  expect(issuesOf({ ...TRAJECTORY, terminated: false, truncated: true })).toEqual([]);
});

test("the path to an unknown segment is empty", () => {
  expect(pathTo(Trajectory.parse(TRAJECTORY), "unknown")).toEqual([]);
});
