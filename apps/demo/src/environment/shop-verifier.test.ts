import { expect, test } from "vitest";
import { numbersIn } from "./shop-verifier.ts";

test.each([
  ["That is 145.8 USD.", 145.8],
  ["1,234.50 francs", 1234.5],
  ["1.234,50 Euro", 1234.5],
  ["It costs 40 500 yen", 40500],
  ["about -3", -3],
])("%s contains the number %d", (text, value) => {
  expect(numbersIn(text).flat()).toContain(value);
});

test.each(["p07", "no number", "v2x", ""])("%s contains no number", (text) => {
  expect(numbersIn(text)).toEqual([]);
});
