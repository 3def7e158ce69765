import { mulberry32 } from "@waggle/protocol";
import { expect, test } from "vitest";
import { privatizedTokens } from "./privatized.ts";

test("given tokens are replaced at the given rate, sampled tokens never", () => {
  const tokenIds = Array.from({ length: 4000 }, () => 7);
  const isGiven = tokenIds.map((_, t) => t % 2 === 0);
  const privatized = privatizedTokens(tokenIds, isGiven, [1, 2, 3, 4], 0.3, mulberry32(3));
  const replaced = privatized.filter((id) => id !== 7).length;
  expect(privatized.filter((id, t) => t % 2 === 1 && id !== 7)).toEqual([]);
  expect(replaced / 2000).toBeCloseTo(0.3, 1);
  expect(new Set(privatized)).toEqual(new Set([1, 2, 3, 4, 7]));
});

test("an empty pool is refused", () => {
  expect(() => privatizedTokens([1], [true], [], 0.5, mulberry32(1))).toThrow(
    /pool of replacement tokens is empty/,
  );
});
