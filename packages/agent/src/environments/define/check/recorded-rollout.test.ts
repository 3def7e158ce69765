import { expect, test } from "vitest";
import { type RecordedRollout, rolloutDifference } from "./recorded-rollout.ts";

const RECORD: RecordedRollout = {
  task: { environment: "chat", seed: 1, split: "train" },
  request: "Hello",
  first: { system: "You answer.", tools: [], userMessage: "Hello" },
  turns: [
    { text: "Hi", calls: [], seen: { toolResults: [], terminated: false, userMessage: "1" } },
  ],
  judgment: { reward: 0, success: false, parts: {} },
};

test("a difference outside the results shows both observations", () => {
  const seen = { toolResults: [], terminated: false, userMessage: "2" };
  const again = { ...RECORD, turns: [{ text: "Hi", calls: [], seen }] };
  expect(rolloutDifference(RECORD, again)).toEqual({
    at: "result",
    turn: 1,
    tool: "a text",
    first: RECORD.turns[0]?.seen,
    second: seen,
  });
  expect(rolloutDifference(RECORD, RECORD)).toBeNull();
});
