import { expect, test } from "vitest";
import { successesByDraw } from "./pass-draws.ts";

test("every draw is rolled out once, one after the other", async () => {
  const asked: number[] = [];
  const found = await successesByDraw(3, async (draw) => {
    asked.push(draw);
    return [draw === 1];
  });
  expect(asked).toEqual([0, 1, 2]);
  expect(found).toEqual([[false], [true], [false]]);
});
