import { expect, test } from "vitest";
import { maskSpans } from "./span-mask.ts";

const lossMask = [
  [false, true, true, false, true],
  [true, true],
];

test("only sampled tokens of selected spans stay", () => {
  const spans = [
    { row: 0, start: 0, end: 3, label: "planner" },
    { row: 0, start: 3, end: 5, label: "executor" },
    { row: 1, start: 1, end: 2, label: "planner" },
  ];
  expect(maskSpans(lossMask, spans, (label) => label === "planner")).toEqual([
    [false, true, true, false, false],
    [false, true],
  ]);
});

test("without spans no token stays; a span over given tokens adds none", () => {
  expect(maskSpans(lossMask, [], () => true).flat()).not.toContain(true);
  const all = [0, 1].map((row) => ({ row, start: 0, end: lossMask[row]!.length, label: "x" }));
  expect(maskSpans(lossMask, all, () => true)).toEqual(lossMask);
});

test.each([
  { row: 2, start: 0, end: 0, label: "x" },
  { row: 0, start: 0, end: 6, label: "x" },
  { row: 0, start: 2, end: 1, label: "x" },
])("a span outside its sequence is refused (%#)", (span) => {
  expect(() => maskSpans(lossMask, [span], () => true)).toThrow(
    expect.objectContaining({ code: "SHAPE_MISMATCH" }),
  );
});
