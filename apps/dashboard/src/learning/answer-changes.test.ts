import { expect, test } from "vitest";
import { changedFirst, hasChanged } from "./answer-changes.ts";

const answer = (text: string | null, success: boolean, ...calls: string[]) => ({
  request: "Wave.",
  text,
  calls,
  success,
});
const SAME = { before: answer("Hi.", true), after: answer("Hi.", true) };
const WORDED = { before: answer("Hi.", true), after: answer("Hello.", true) };
const CALLED = { before: answer(null, false, "a {}"), after: answer(null, false, "a {}", "b {}") };
const GAINED = { before: answer("No.", false), after: answer("Hi.", true) };
const LOST = { before: answer("Hi.", true), after: answer("Hi.", false) };

test("a pair has changed if its text, its calls or its verdict differ", () => {
  expect([SAME, WORDED, CALLED, GAINED, LOST].map(hasChanged)).toEqual([
    false,
    true,
    true,
    true,
    true,
  ]);
});

test("what is no longer solved comes first, then what is newly solved, other changes, the rest", () => {
  expect(changedFirst([SAME, WORDED, GAINED, CALLED, LOST])).toEqual([
    LOST,
    GAINED,
    WORDED,
    CALLED,
    SAME,
  ]);
});
