/** pass@k counts tasks that any draw solves, and needs every draw. */
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
])("pass@%i of three draws", async (draws, share) => {
  const asked: number[] = [];
  const found = await passAtK(draws, async (draw) => {
    asked.push(draw);
    return DRAWS[draw] as boolean[];
  });
  expect(found).toBe(share);
  expect(asked).toEqual([0, 1, 2].slice(0, draws));
});
