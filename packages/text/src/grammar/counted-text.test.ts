/** Masks inside texts with a length limit, where tokens are grouped by their number of characters. */
import { expect, test } from "vitest";
import { compile, idsOf } from "./grammar.fixture.ts";

/** Words of one to four plain characters with one to three bytes each, and words with special characters. */
const WORDS = ["ab", "abcd", " the", "éa", "日本", "日本語x", "…", 'a"', "b\\", '",', "x{y", "  "];
/** Ids 0 and 1 are special, followed by the bytes and the words. */
const FIRST_WORD = 258;
const byteId = (char: string): number => 2 + char.charCodeAt(0);
const LONG_LEADS = Array.from({ length: 0xf5 - 0xc2 }, (_, i) => 2 + 0xc2 + i);

test("in a string of at most four characters, exactly the tokens that fit are allowed", async () => {
  const schema = { type: "string", maxLength: 4 };
  const grammar = await compile({ kind: "json-schema", schema }, WORDS);
  /** Text so far, and the number of characters that still fit. */
  const cases = [
    ["", 4],
    ["a", 3],
    ["ab", 2],
    ["abc", 1],
    ["abcd", 0],
  ] as const;
  for (const [said, room] of cases) {
    const matcher = grammar.createMatcher();
    matcher.accept(byteId('"'));
    for (const char of said) matcher.accept(byteId(char));
    const allowed = idsOf(matcher.nextMask(100));
    const fitting = WORDS.flatMap((word, at) => {
      const length = Array.from(word).length - (word.endsWith('"') ? 1 : 0);
      // Nothing may follow the string.
      return length <= room && word !== '",' ? [FIRST_WORD + at] : [];
    });
    expect(allowed.filter((id) => id >= FIRST_WORD)).toEqual(fitting);
    const bytes = allowed.filter((id) => id < FIRST_WORD);
    expect(bytes).toContain(byteId('"'));
    // Plain characters, escapes and first bytes of longer characters: all or none are allowed.
    const more = [byteId("a"), byteId("~"), byteId(" "), byteId("\\"), ...LONG_LEADS];
    expect(bytes.filter((id) => more.includes(id)).toSorted((a, b) => a - b)).toEqual(
      room === 0 ? [] : more.toSorted((a, b) => a - b),
    );
  }
});

test("a text that treats characters differently is checked token by token", async () => {
  const grammar = await compile({ kind: "regex", pattern: "[^a]{0,3}z" }, WORDS);
  const allowed = idsOf(grammar.createMatcher().nextMask(100));
  const words = allowed.filter((id) => id >= FIRST_WORD).map((id) => WORDS[id - FIRST_WORD]);
  expect(words).toEqual(["日本", "…", "b\\", '",', "x{y", "  "]);
});
