import { expect, test } from "vitest";
import { shownValue } from "./shown-value.ts";

test("a value is shown with its outermost level, in at most 100 characters", () => {
  expect(shownValue([1, 2, null])).toBe("[1,2,null]");
  expect(shownValue({ a: "x", b: [1], c: { d: 1 } })).toBe('{"a":"x","b":"…","c":"…"}');
  expect(shownValue(undefined)).toBe("nothing");
  expect(shownValue("a".repeat(200))).toBe(`"${"a".repeat(99)}`);
});

test("a value that nests deeply is shown", () => {
  const depth = 100_000;
  const lists: unknown = JSON.parse("[".repeat(depth) + "]".repeat(depth));
  expect(shownValue(lists)).toBe('["…"]');
  const unnamed: unknown = JSON.parse(`${'{"":'.repeat(depth)}1${"}".repeat(depth)}`);
  expect(shownValue(unnamed)).toBe('{"":"…"}');
});
