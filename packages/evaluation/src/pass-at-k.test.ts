import { expect, test } from "vitest";
import { passAtK } from "./pass-at-k.ts";

const DRAWS = [
  [true, false, false, false],
  [false, false, true, false],
  [true, false, false, false],
];

test.each([
  [1, 1 / 4],
  [2, 2 / 4],
  [3, 2 / 4],
])("pass@%i of three draws counts the tasks that any draw solves", (k, share) => {
  expect(passAtK(DRAWS.slice(0, k))).toBe(share);
});

test("without draws or tasks, no task is solved", () => {
  expect(passAtK([])).toBe(0);
  expect(passAtK([[], []])).toBe(0);
});
