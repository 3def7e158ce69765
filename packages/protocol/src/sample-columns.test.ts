/** Which columns a training sample has: those that every token shares with the defaults are left out. */
import { expect, test } from "vitest";
import { toTrainingSamples } from "./training-sample.ts";
import type { SampledSegment, Segment, Trajectory } from "./trajectory.ts";

const GIVEN: Segment = { kind: "given", id: "a", parent: null, role: "user", tokenIds: [9] };
const SAMPLED: SampledSegment = {
  kind: "sampled",
  id: "b",
  parent: "a",
  policyVersion: 0,
  sampling: { temperature: 1, topK: 0, topP: 1, seed: 1 },
  grammar: null,
  tokenIds: [5, 6],
  behaviorLogProbs: [-1, -2],
  rawLogProbs: [-1, -2],
  entropies: [1, 1],
  stopReason: "stop-token",
};
const of = (...segments: readonly Segment[]) => toTrainingSamples({ segments } as Trajectory);

test("temperature 1 and full support need no columns", () => {
  expect(Object.keys(of(GIVEN, SAMPLED)[0]?.sequence ?? {})).toEqual(["tokenIds"]);
});

test("one token at another temperature gives every token its own", () => {
  const warm = { ...SAMPLED, sampling: { ...SAMPLED.sampling, temperature: 0.5 } };
  expect(of(GIVEN, warm)[0]?.sequence).toEqual({
    tokenIds: [9, 5, 6],
    temperatures: [1, 0.5, 0.5],
  });
});

test("one token with a kept set gives every token its own", () => {
  const kept = { ...SAMPLED, keptTokenIds: [null, [6, 7]] };
  expect(of(GIVEN, kept)[0]?.sequence).toEqual({
    tokenIds: [9, 5, 6],
    keptTokenIds: [null, null, [6, 7]],
  });
});

test("a branch without a sampled token of its own has no sample", () => {
  const again: Segment = { ...GIVEN, id: "c", parent: "b" };
  const samples = of(GIVEN, SAMPLED, again, { ...again, id: "d" });
  expect(samples.map(({ sequence }) => sequence.tokenIds)).toEqual([[9, 5, 6]]);
  expect(of(GIVEN)).toEqual([]);
});
