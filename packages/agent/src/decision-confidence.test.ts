import type { Trajectory } from "@waggle/protocol";
import { expect, test } from "vitest";
import { decisionConfidence } from "./decision-confidence.ts";

/** A record with these turns, of which the first has calls. */
function record(...turns: readonly (readonly number[])[]): Pick<Trajectory, "segments" | "turns"> {
  const segments = turns.map((probabilities, nth) => ({
    id: `s${nth}`,
    kind: "sampled",
    rawLogProbs: probabilities.map(Math.log),
  }));
  const calls = (nth: number) => (nth === 0 ? [{ id: "c0", name: "add", arguments: {} }] : []);
  return {
    segments,
    turns: turns.map((_, nth) => ({
      segmentId: `s${nth}`,
      toolCalls: calls(nth),
      toolResults: [],
    })),
  } as unknown as Pick<Trajectory, "segments" | "turns">;
}

test("one doubtful token of a call lowers the confidence as much as it lowers the call's probability", () => {
  expect(decisionConfidence(record([1, 1, 0.4, 1, 1], [0.9, 0.9]))).toBeCloseTo(0.4, 12);
});

test("an answer counts by its mean token, whatever its length", () => {
  expect(decisionConfidence(record([1], [0.8, 0.8, 0.8, 0.8]))).toBeCloseTo(0.8, 12);
});

test("a rollout in which nothing was sampled has no confidence", () => {
  expect(decisionConfidence(record())).toBe(0);
});
