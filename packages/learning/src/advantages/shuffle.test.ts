import { expect, test } from "vitest";
import { shuffled } from "./shuffle.ts";

test("shuffled keeps the values and depends only on its random source", () => {
  expect(shuffled([1, 2, 3, 4], () => 0)).toEqual([2, 3, 4, 1]);
  expect(shuffled([1, 2, 3, 4], () => 0.999)).toEqual([1, 2, 3, 4]);
});
