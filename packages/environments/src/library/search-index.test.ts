import { expect, test } from "vitest";
import { searchWords } from "./search-index.ts";

test("words are runs of letters and digits in lower case, and nothing else is a word", () => {
  expect(searchWords("“Où est l’Été 2024?”")).toEqual(["où", "est", "l", "été", "2024"]);
  expect(searchWords(" …")).toEqual([]);
});
