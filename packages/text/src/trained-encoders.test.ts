/** The encoders of our own tokenizers give the ids that @huggingface/tokenizers gives. */
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { sampleSize } from "../../../test/fixtures/long.ts";
import { trainByteLevelBpe } from "./bpe-trainer.ts";
import { libraryEncoders } from "./library-encoders.ts";
import { NANO_SPECIAL_TOKENS } from "./nano-template.ts";
import type { TokenizerJson } from "./tokenizer-json.ts";
import { trainedEncoders } from "./trained-encoders.ts";

const modelFile = (model: string): TokenizerJson =>
  JSON.parse(
    readFileSync(new URL(`../../model/${model}/tokenizer.json`, import.meta.url), "utf8"),
  ) as TokenizerJson;

const nano = modelFile("nano");

/** `aaaa` has many merges at every position, and `abab` more than one way to the same token. */
const repeating = trainByteLevelBpe(["aaaaaaaaaaaaaaaa aaaa abababab ababab abcabcabc bcbc cab"], {
  vocabularySize: 290,
  specialTokens: NANO_SPECIAL_TOKENS,
});

const cases = { nano, default: modelFile("default"), repeating };

const piece = fc.oneof(
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.string({ unit: fc.constantFrom("a", "b", "c", " "), maxLength: 30 }),
  fc.constantFrom(...NANO_SPECIAL_TOKENS.map(({ content }) => content)),
  fc.constantFrom(
    ..."the cheapest waterproof jacket|don't|I'LL|12½3|\r\n\n|  \t |\u0085|\uFEFF|日本語|\u{1F600}|e\u0301|\uD800|-->{\"a\":1}".split(
      "|",
    ),
  ),
);

test.each(Object.entries(cases))("%s: the same ids as the library's", (_, tokenizerJson) => {
  const own = trainedEncoders(tokenizerJson);
  const library = libraryEncoders({ tokenizerJson });
  if (own === null) throw new Error("not read");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join("");
      expect(own.encode(text)).toEqual(library.encode(text));
      expect(own.encodeTemplate(text)).toEqual(library.encodeTemplate(text));
    }),
    { numRuns: 400 },
  );
});

/** Blocks of 1,024 characters between two that are compared. All planes of Unicode have some in either tier. */
const STRIDE = sampleSize(27, 1);

test("every character has the library's ids", () => {
  const own = trainedEncoders(nano);
  const library = libraryEncoders({ tokenizerJson: nano });
  // Between letters, a character shows how it is split.
  for (let first = 0; first <= 0x10ffff; first += 0x400 * STRIDE) {
    const codes = Array.from({ length: 0x400 }, (_, i) => first + i);
    const text = codes.map((code) => `a${String.fromCodePoint(code)}b`).join(" ");
    expect(own?.encode(text)).toEqual(library.encode(text));
  }
}, 120_000);

test("a word of a million letters takes seconds at most", () => {
  const text = "ab".repeat(500_000);
  expect(trainedEncoders(repeating)?.encode(text).length).toBeLessThan(600_000);
}, 30_000);

const { model } = nano;

test.each<[string, Partial<TokenizerJson>]>([
  ["a normalizer", { normalizer: { type: "NFC" } }],
  ["a post-processor", { post_processor: { type: "ByteLevel" } }],
  ["another split", { pre_tokenizer: { type: "ByteLevel", use_regex: true } }],
  ["ignore_merges", { model: { ...model, ignore_merges: true } }],
  ["another model", { model: { ...model, type: "Unigram" } }],
  [
    "a merge without a token",
    { model: { ...model, merges: [...model.merges, ["\u0100", "\u0100"]] } },
  ],
  [
    "a byte without a token",
    { model: { ...model, vocab: { ...model.vocab, "\u0100": undefined as never } } },
  ],
  [
    "an added token that takes spaces",
    { added_tokens: [{ id: 900, content: "<x>", special: true, rstrip: true }] },
  ],
  [
    "an added token of the model's vocabulary",
    { added_tokens: [{ id: 1, special: true, content: "quantity" }] },
  ],
  ["an empty added token", { added_tokens: [{ id: 900, special: true, content: "" }] }],
])("a tokenizer with %s is left to the library", (_, change) => {
  expect(Object.hasOwn(model.vocab, "quantity")).toBe(true);
  expect(trainedEncoders({ ...nano, ...change })).toBeNull();
});
