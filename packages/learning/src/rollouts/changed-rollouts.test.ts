import { mulberry32 } from "@waggle/protocol";
import { expect, test } from "vitest";
import { drawEnvironment } from "./env-random.ts";
import { goesOn } from "./multi-trial.ts";
import { continuedBy } from "./partial-rollout.ts";

test("trials end at success or at their limit", () => {
  expect(goesOn([0.2], 3, true)).toBe(true);
  expect(goesOn([0.2, 1], 3, true)).toBe(false);
  expect(goesOn([0.2, 1], 3, false)).toBe(true);
  expect(goesOn([0, 0, 0], 3, true)).toBe(false);
});

test("drawn environments stay in their ranges and depend only on the seed", () => {
  const ranges = {
    toolBudget: { from: 1, to: 3 },
    turnBudget: { from: 4, to: 4 },
    faultRate: { from: 0.1, to: 0.3 },
  };
  const environments = Array.from({ length: 200 }, (_, seed) =>
    drawEnvironment(ranges, mulberry32(seed)),
  );
  expect(new Set(environments.map(({ toolBudget }) => toolBudget))).toEqual(new Set([1, 2, 3]));
  expect(environments.every(({ turnBudget }) => turnBudget === 4)).toBe(true);
  expect(environments.every(({ faultRate }) => faultRate >= 0.1 && faultRate <= 0.3)).toBe(true);
  expect(drawEnvironment(ranges, mulberry32(5))).toEqual(environments[5]);
});

test("a resumed rollout has contiguous tokens and several versions", () => {
  let pieces = continuedBy([], { version: 3, start: 0, end: 2 });
  pieces = continuedBy(pieces, { version: 3, start: 2, end: 3 });
  pieces = continuedBy(pieces, { version: 5, start: 3, end: 5 });
  expect(pieces).toEqual([
    { version: 3, start: 0, end: 3 },
    { version: 5, start: 3, end: 5 },
  ]);
});

test.each([
  ["a gap", { version: 1, start: 3, end: 4 }],
  ["tokens sampled twice", { version: 1, start: 1, end: 4 }],
  ["an older version", { version: 0, start: 2, end: 4 }],
])("%s in a resumed run is refused", (_, next) => {
  expect(() => continuedBy([{ version: 1, start: 0, end: 2 }], next)).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT" }),
  );
});
