import type { TrajectoryRow } from "@waggle/protocol";
import { expect, test } from "vitest";
import { DISAGREEMENT_ADVICE, disagreementText, reasonText } from "./reason-text.ts";

test.each([
  ["replay-mismatch at turn 2", "the site's page and its environment disagree at turn 2"],
  ["replay-mismatch", "the site's page and its environment disagree in what the model reads"],
  ["call-mismatch", "the recorded tool calls are not the calls that the sampled tokens make"],
  ["stop-mismatch", "the rollout did not end where the page says it ended"],
  ["tool-wording", "the page and its environment word the error of a failed tool differently"],
  ["grammar-mismatch", "sampled under a grammar that does not belong to the site's tools"],
  ["not-drawn-from-seed", "the tokens are not the ones that the sampling seed selects"],
  ["no-signal", "every rollout of its group got the same reward"],
  ["base-model-mismatch", "base-model-mismatch"],
  ["toString", "toString"],
])("the reason %s is shown as: %s", (reason, text) => {
  expect(reasonText(reason)).toBe(text);
});

const difference = {
  turn: 2,
  tool: "find",
  arguments: '{"q":"mug"}',
  inPage: '{"n":3}',
  inEnvironment: '{"n":4}',
};
const textOf = (row: Partial<TrajectoryRow>) => disagreementText(row as TrajectoryRow);

test("a disagreement names the call and both results, and says what to do", () => {
  expect(textOf({ reason: "replay-mismatch at turn 2", difference })).toEqual([
    'At turn 2, find({"q":"mug"}) gives {"n":3} in the page and {"n":4} in the environment.',
    DISAGREEMENT_ADVICE,
  ]);
  expect(DISAGREEMENT_ADVICE).toContain("waggle check");
});

test("results that differ only in masked members are said to differ", () => {
  const masked = { ...difference, inEnvironment: difference.inPage };
  expect(textOf({ reason: "tool-wording", difference: masked })[0]).toBe(
    'At turn 2, find({"q":"mug"}) gives different results, which are not shown here.',
  );
});

test("an edge of the previous release knows no calls, and other reasons have no advice", () => {
  expect(textOf({ reason: "replay-mismatch at turn 2" })).toEqual([DISAGREEMENT_ADVICE]);
  expect(textOf({ reason: "call-mismatch", difference: null })).toEqual([]);
  expect(textOf({ reason: null })).toEqual([]);
});
