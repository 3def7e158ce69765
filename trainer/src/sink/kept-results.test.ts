import type { SampledAnswer } from "@waggle/protocol";
import { expect, test } from "vitest";
import { keptOutcomes, outcomesToKeep, reportOf, withCandidateAs } from "./kept-results.ts";

const TASKS = { evaluationName: "two-tasks" };
const answer = (text: string): SampledAnswer => ({
  request: "Go.",
  text,
  calls: [],
  success: true,
});
const outcomes = (text: string) => ({
  successes: [true, false],
  readable: [true, true],
  sampled: [answer(`${text} 1`), answer(`${text} 2`)],
});
const STATE = outcomesToKeep(TASKS, [
  [3, outcomes("old")],
  ["candidate", outcomes("new")],
]);

test("a report pairs the answers of both versions by task", () => {
  expect(reportOf(TASKS, STATE, 3)).toEqual({
    answers: {
      comparedWith: 3,
      pairs: [
        { before: answer("old 1"), after: answer("new 1") },
        { before: answer("old 2"), after: answer("new 2") },
      ],
    },
  });
});

test("a promoted candidate's answers are those before the next version's", () => {
  const promoted = withCandidateAs(TASKS, STATE, 4);
  expect(keptOutcomes(TASKS, promoted, 4)).toEqual(outcomes("new"));
  const kept = keptOutcomes(TASKS, promoted, 4) ?? outcomes("none");
  const next = outcomesToKeep(TASKS, [
    [4, kept],
    ["candidate", outcomes("newer")],
  ]);
  expect(reportOf(TASKS, next, 4).answers?.pairs[1]).toEqual({
    before: answer("new 2"),
    after: answer("newer 2"),
  });
});

test("a state of the previous release has no answers, and the report has none", () => {
  const { evaluations } = STATE;
  expect(keptOutcomes(TASKS, { evaluations }, 3)).toEqual({
    successes: [true, false],
    readable: [true, true],
  });
  expect(reportOf(TASKS, {}, 3)).toEqual({});
});
