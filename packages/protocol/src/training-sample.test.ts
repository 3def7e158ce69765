import { expect, test } from "vitest";
import { toTrainingSamples } from "./training-sample.ts";
import type { Segment, Trajectory } from "./trajectory.ts";

const base: Trajectory = {
  schemaVersion: 1,
  id: "7f0c2a46-5a7e-4a57-9a51-1d1f6f1c2a10",
  task: null,
  assignmentId: null,
  consent: { version: "1", scopes: ["collect", "train"], grantedAt: "2026-11-20T10:00:00.000Z" },
  client: { build: "test", backend: "scripted", device: "test", crossOriginIsolated: false },
  baseModel: "a".repeat(64),
  policyVersion: 0,
  segments: [],
  turns: [],
  stopReason: "completed",
  terminated: true,
  truncated: false,
  startedAt: "2026-11-20T10:00:00.000Z",
  endedAt: "2026-11-20T10:00:01.000Z",
};

function given(id: string, parent: string | null, ...tokenIds: number[]): Segment {
  return { kind: "given", id, parent, role: "user", tokenIds };
}

function sampled(id: string, parent: string | null, ...tokenIds: number[]): Segment {
  const numbers = tokenIds.map((tokenId) => -tokenId / 10);
  return {
    kind: "sampled",
    id,
    parent,
    policyVersion: 0,
    sampling: { temperature: 1, topK: 0, topP: 1, seed: 1 },
    grammar: null,
    tokenIds,
    behaviorLogProbs: numbers,
    rawLogProbs: numbers,
    entropies: numbers.map(() => 1),
    stopReason: "stop-token",
  };
}

const of = (...segments: Segment[]): Trajectory => ({ ...base, segments });

test("the loss mask covers exactly the sampled tokens, with their recorded log-probs", () => {
  const samples = toTrainingSamples(
    of(given("a", null, 1, 2), sampled("b", "a", 3), given("c", "b", 4), sampled("d", "c", 5, 6)),
  );
  expect(samples).toHaveLength(1);
  expect(samples[0]?.sequence).toEqual({ tokenIds: [1, 2, 3, 4, 5, 6] });
  expect(samples[0]?.lossMask).toEqual([false, false, true, false, true, true]);
  expect(samples[0]?.behaviorLogProbs).toEqual([0, 0, -0.3, 0, -0.5, -0.6]);
  expect(samples[0]?.spans.map(({ segment, start }) => [segment.id, start])).toEqual([
    ["b", 2],
    ["d", 4],
  ]);
});

test("given tokens after the last sampled token are left out", () => {
  const [sample] = toTrainingSamples(
    of(given("a", null, 1), sampled("b", "a", 2), given("c", "b", 3)),
  );
  expect(sample?.sequence.tokenIds).toEqual([1, 2]);
});

test("a token shared by two branches is trained in one and is context in the other", () => {
  const samples = toTrainingSamples(
    of(given("a", null, 1), sampled("b", "a", 2), sampled("c", "b", 3), sampled("d", "b", 4)),
  );
  expect(samples.map(({ sequence }) => sequence.tokenIds)).toEqual([
    [1, 2, 3],
    [1, 2, 4],
  ]);
  expect(samples.map(({ lossMask }) => lossMask)).toEqual([
    [false, true, true],
    [false, false, true],
  ]);
});

test("each token has the temperature and kept set of its segment", () => {
  const warm = sampled("b", "a", 2);
  const [sample] = toTrainingSamples(
    of(given("a", null, 1), {
      ...warm,
      ...(warm.kind === "sampled"
        ? { sampling: { ...warm.sampling, temperature: 0.7, topK: 2 }, keptTokenIds: [[2, 9]] }
        : {}),
    } as Segment),
  );
  expect(sample?.sequence.temperatures).toEqual([1, 0.7]);
  expect(sample?.sequence.keptTokenIds).toEqual([null, [2, 9]]);
});

test("a trajectory without a sampled token has no samples", () => {
  expect(toTrainingSamples(of(given("a", null, 1)))).toEqual([]);
});
