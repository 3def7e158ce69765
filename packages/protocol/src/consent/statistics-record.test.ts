import { expect, test } from "vitest";
import { isStatistics, toStatistics } from "./statistics-record.ts";
import { Trajectory } from "../trajectory.ts";

const SECRET = "my name is Ada";
const sampled = (id: string, parent: string | null) => ({
  kind: "sampled" as const,
  id,
  parent,
  policyVersion: 3,
  sampling: { temperature: 1, topK: 0, topP: 1, seed: 7 },
  grammar: SECRET,
  tokenBudget: 64,
  tokenIds: [4141, 4242],
  behaviorLogProbs: [-0.5, -0.25],
  rawLogProbs: [-0.5, -0.25],
  entropies: [0.125, 0.125],
  keptTokenIds: [[4141], [4242]],
  stopReason: "stop-token" as const,
  fingerprint: SECRET,
});
const call = (id: string, name: string) => ({ id, name, arguments: { text: SECRET } });
const FULL: Trajectory = Trajectory.parse({
  schemaVersion: 1,
  id: "7f0c2a46-5a7e-4a57-9a51-1d1f6f1c2a10",
  task: null,
  assignmentId: null,
  consent: { version: "1", scopes: ["collect"], choices: true, grantedAt: "2026-11-20T10:00:00Z" },
  client: { build: "0.1.0", backend: "wasm", device: "wasm x1", crossOriginIsolated: false },
  baseModel: "a".repeat(64),
  policyVersion: 3,
  segments: [
    { kind: "given", id: SECRET, parent: null, role: "user", tokenIds: [5151, 5252] },
    sampled("first", SECRET),
    { kind: "given", id: "s2", parent: "first", role: "tool", tokenIds: [5353] },
    sampled("second", "s2"),
  ],
  grammars: { [SECRET]: { kind: "ebnf", grammar: SECRET } },
  turns: [
    {
      segmentId: "first",
      toolCalls: [
        call("c0", "search"),
        call("c1", SECRET),
        call("c2", "made_up"),
        call("c3", "pay"),
      ],
      toolResults: [
        { callId: "c0", ok: true, value: { text: SECRET } },
        { callId: "c1", ok: true, value: SECRET },
        { callId: "c2", ok: false, error: { code: "UNKNOWN_TOOL", message: SECRET } },
        { callId: "c3", ok: false, error: { code: SECRET, message: SECRET } },
      ],
      parseError: null,
    },
    { segmentId: "second", toolCalls: [], toolResults: [], parseError: SECRET },
  ],
  stopReason: "completed",
  terminated: true,
  truncated: false,
  startedAt: "2026-11-20T10:00:00.000Z",
  endedAt: "2026-11-20T10:00:02.000Z",
});

test("statistics have turns, tool names, failures, times and reasons, and nothing that was said", () => {
  const statistics = toStatistics(FULL);
  expect(Trajectory.parse(statistics)).toEqual(statistics);
  const text = JSON.stringify(statistics);
  for (const part of [SECRET, "made_up", "4141", "4242", "5151", "5353", "-0.5", "0.125"]) {
    expect(text.replaceAll(FULL.id, "").replaceAll(FULL.baseModel, "")).not.toContain(part);
  }
  expect(statistics).toMatchObject({
    id: FULL.id,
    stopReason: "completed",
    startedAt: FULL.startedAt,
    endedAt: FULL.endedAt,
    policyVersion: 3,
  });
  const [first, second] = statistics.turns;
  expect(first?.toolCalls.map(({ name }) => name)).toEqual(["search", "unknown", "unknown", "pay"]);
  expect(first?.toolResults).toEqual([
    { callId: "c0", ok: true, value: null },
    { callId: "c1", ok: true, value: null },
    { callId: "c2", ok: false, error: { code: "UNKNOWN_TOOL", message: "" } },
    { callId: "c3", ok: false, error: { code: "TOOL_FAILED", message: "" } },
  ]);
  expect([first?.segmentId, second?.segmentId, second?.parseError]).toEqual(["s0", "s1", ""]);
});

test("a record is recognized as statistics, and any added value is noticed", () => {
  const statistics = toStatistics(FULL);
  expect(isStatistics(statistics)).toBe(true);
  expect(isStatistics(FULL)).toBe(false);
  const [turn] = statistics.turns;
  const [one] = statistics.segments;
  const changes: Partial<Trajectory>[] = [
    { segments: [{ ...(one as (typeof statistics.segments)[number]), tokenIds: [1] } as never] },
    { turns: [{ ...(turn as NonNullable<typeof turn>), parseError: "said" }] },
    { turns: [{ ...(turn as NonNullable<typeof turn>), toolCalls: [call("c0", "search")] }] },
    { grammars: {} },
  ];
  for (const change of changes) expect(isStatistics({ ...statistics, ...change })).toBe(false);
});

test("a rollout that was stopped before anything was sampled has statistics too", () => {
  const [given] = FULL.segments;
  const stopped = toStatistics({ ...FULL, segments: [given as never], turns: [] });
  expect(Trajectory.parse(stopped).segments).toEqual([
    { kind: "given", id: "s0", parent: null, role: "user", tokenIds: [] },
  ]);
  expect(isStatistics(stopped)).toBe(true);
});
