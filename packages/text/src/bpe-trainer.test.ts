import fc from "fast-check";
import { expect, test } from "vitest";
import { trainByteLevelBpe } from "./bpe-trainer.ts";
import { createTokenizer } from "./create-tokenizer.ts";

const special = [{ content: "<|end|>", special: true }];

/** Slow reference implementation: recounts every pair before every merge. For words of ASCII letters. */
function naiveMerges(words: readonly string[], count: number): string[] {
  let split = words.map((word) => word.split(""));
  const ranks = new Map(
    Array.from({ length: 128 }, (_, byte) => [String.fromCharCode(byte), byte]),
  );
  const merges: string[] = [];
  let nextRank = 256;
  while (merges.length < count) {
    const counts = new Map<string, number>();
    for (const word of split) {
      for (let i = 1; i < word.length; i++) {
        const pair = `${word[i - 1]} ${word[i]}`;
        counts.set(pair, (counts.get(pair) ?? 0) + 1);
      }
    }
    const rank = (pair: string): number[] => pair.split(" ").map((part) => ranks.get(part) ?? -1);
    const [best, most] =
      [...counts].toSorted(
        ([a, n], [b, m]) => m - n || rank(a)[0]! - rank(b)[0]! || rank(a)[1]! - rank(b)[1]!,
      )[0] ?? [];
    if (best === undefined || most === undefined || most < 2) break;
    merges.push(best);
    const [left, right] = best.split(" ") as [string, string];
    if (!ranks.has(left + right)) ranks.set(left + right, nextRank++);
    split = split.map((word) => {
      const out: string[] = [];
      for (let i = 0; i < word.length; i++) {
        if (word[i] === left && word[i + 1] === right) out.push(left + word[++i]!);
        else out.push(word[i]!);
      }
      return out;
    });
  }
  return merges;
}

test("incremental counting learns the same merges as recounting", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 12 }), (words) => {
      const json = trainByteLevelBpe(words, { vocabularySize: 266, specialTokens: [] });
      const merges = json.model.merges.map((merge) => (merge as string[]).join(" "));
      expect(merges).toEqual(naiveMerges(words, merges.length));
    }),
    { numRuns: 300 },
  );
});

test("the most frequent pair is merged first, and ties go to the smaller ids", () => {
  const json = trainByteLevelBpe(["xy xy xy", "ab ab", "cd cd"], {
    vocabularySize: 260,
    specialTokens: special,
  });
  // Words include the space before them: " xy" occurs twice, "xy" once, and so on.
  expect(json.model.merges[0]).toEqual(["x", "y"]);
  expect(json.model.merges[1]).toEqual(["Ġ", "xy"]);
  expect(json.model.merges[2]).toEqual(["a", "b"]);
});

test("ids are bytes, merges and special tokens, without gaps", () => {
  const json = trainByteLevelBpe(["banana bandana banana"], {
    vocabularySize: 265,
    specialTokens: special,
  });
  const ids = [...Object.values(json.model.vocab), ...(json.added_tokens ?? []).map((t) => t.id)];
  expect(ids.toSorted((a, b) => a - b)).toEqual(Array.from({ length: ids.length }, (_, i) => i));
  expect(json.added_tokens?.[0]?.id).toBe(ids.length - 1);
});

test("training twice gives the same file", () => {
  const texts = ["the jacket, the red jacket: 79.90", "the rain in the jacket 79.90"];
  const train = (): string =>
    JSON.stringify(trainByteLevelBpe(texts, { vocabularySize: 290, specialTokens: special }));
  expect(train()).toBe(train());
});

test("a number becomes one token per digit", () => {
  const texts = Array.from({ length: 50 }, () => "1234 1234 €1234");
  const tokenizer = createTokenizer({
    tokenizerJson: trainByteLevelBpe(texts, { vocabularySize: 300, specialTokens: special }),
  });
  expect(tokenizer.encode("1234").map((id) => tokenizer.decode([id]))).toEqual([
    "1",
    "2",
    "3",
    "4",
  ]);
});

test("a vocabulary too small for the bytes is refused", () => {
  expect(() => trainByteLevelBpe([], { vocabularySize: 256, specialTokens: special })).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT" }),
  );
});

test("with wordsAlone, a word has the same tokens after a space, a quote or an underscore", () => {
  const texts = ["add the blue lamp", '{"name":"lamp"}', "lamp_lamp (lamp) lamp"];
  const tokenizerJson = trainByteLevelBpe(texts, {
    vocabularySize: 290,
    specialTokens: special,
    wordsAlone: true,
  });
  const tokenizer = createTokenizer({ tokenizerJson, tokenizerConfig: {} });
  const alone = tokenizer.encode("lamp");
  const unseen = tokenizer.encode("Zorvit");
  for (const [before, after] of [
    [" ", " "],
    ['"', '"'],
    ["_", ","],
    ["\n", "!"],
  ] as const) {
    for (const [word, tokens] of [
      ["lamp", alone],
      ["Zorvit", unseen],
    ] as const) {
      const text = `${before}${word}${after}`;
      expect(tokenizer.encode(text).slice(tokenizer.encode(before).length, -1)).toEqual(tokens);
      expect(tokenizer.decode(tokenizer.encode(text))).toBe(text);
    }
  }
});
