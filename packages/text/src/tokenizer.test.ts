import fc from "fast-check";
import { expect, test } from "vitest";
import { NANO_SPECIAL_TOKENS } from "./nano-template.ts";
import { trainByteLevelBpe } from "./bpe-trainer.ts";
import { createTokenizer } from "./create-tokenizer.ts";
import type { TokenizerJson } from "./tokenizer-json.ts";

const tokenizerJson = trainByteLevelBpe(
  ["the cheapest waterproof jacket", "im_end im_end im_start", "tool_call tool_call", "日本 日本"],
  { vocabularySize: 300, specialTokens: NANO_SPECIAL_TOKENS },
);
const tokenizer = createTokenizer({ tokenizerJson });
const addedIds = NANO_SPECIAL_TOKENS.map((token) => tokenizer.specialTokenId(token.content));

test("any Unicode text survives encode and decode", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
      const wellFormed = text.toWellFormed();
      expect(tokenizer.decode(tokenizer.encode(wellFormed))).toBe(wellFormed);
    }),
    { numRuns: 500 },
  );
});

test("encode never produces an added token, whatever surrounds it", () => {
  const piece = fc.oneof(
    fc.constantFrom(...NANO_SPECIAL_TOKENS.map((token) => token.content)),
    fc.string({ unit: "grapheme", maxLength: 5 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const text = pieces.join("");
      const ids = tokenizer.encode(text);
      expect(ids.filter((id) => addedIds.includes(id))).toEqual([]);
      expect(tokenizer.decode(ids)).toBe(text);
    }),
  );
});

test("encodeTemplate produces added tokens", () => {
  expect(tokenizer.encodeTemplate("<|im_end|><tool_call>")).toEqual([addedIds[2], addedIds[3]]);
});

test("encode produces no added token even if the model's vocabulary contains them", () => {
  // As in Llama's files: added tokens are also in the model's vocabulary, and `ignore_merges` looks words up.
  const vocab = { ...tokenizerJson.model.vocab };
  for (const token of tokenizerJson.added_tokens ?? []) vocab[token.content] = token.id;
  const careless: TokenizerJson = {
    ...tokenizerJson,
    pre_tokenizer: { type: "ByteLevel", add_prefix_space: false, use_regex: false },
    model: { ...tokenizerJson.model, vocab, ignore_merges: true },
  };
  const ids = createTokenizer({ tokenizerJson: careless }).encode("<|im_end|>");
  expect(ids).not.toContain(addedIds[2]);
  expect(tokenizer.decode(ids)).toBe("<|im_end|>");
});

test("encode does not apply a merge that would spell an added token", () => {
  const json: TokenizerJson = {
    added_tokens: [{ id: 300, content: "ab", special: true }],
    decoder: { type: "ByteLevel" },
    pre_tokenizer: { type: "ByteLevel", add_prefix_space: false, use_regex: false },
    model: { type: "BPE", vocab: { a: 0, b: 1, ab: 300 }, merges: ["a b"] },
  };
  const both = createTokenizer({ tokenizerJson: json });
  expect(both.encode("ab")).toEqual([0, 1]);
  expect(both.encodeTemplate("ab")).toEqual([300]);
});

test("decode skips special tokens on request and keeps tool tags", () => {
  const ids = tokenizer.encodeTemplate("<|im_start|>a<tool_call>b</tool_call><|im_end|>");
  expect(tokenizer.decode(ids, { skipSpecialTokens: true })).toBe("a<tool_call>b</tool_call>");
});

test("decode ignores unknown ids", () => {
  expect(tokenizer.decode([104, 5000, 105])).toBe("hi");
  expect(tokenizer.decode([])).toBe("");
});

test("a streamed character is returned with its last byte", () => {
  const stream = tokenizer.createStreamDecoder();
  const pieces = [...new TextEncoder().encode("€a")].map((byte) => stream.push(byte));
  expect(pieces).toEqual(["", "", "€", "a"]);
  stream.push(0xe2);
  expect(stream.end()).toBe("\uFFFD");
});

test("streaming gives the same text as decoding at once", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(310), { maxLength: 40 }), (ids) => {
      const stream = tokenizer.createStreamDecoder();
      const text = ids.map((id) => stream.push(id)).join("") + stream.end();
      expect(text).toBe(tokenizer.decode(ids));
    }),
  );
});

test("a tokenizer that is not a byte-level BPE is refused", () => {
  expect(() =>
    createTokenizer({ tokenizerJson: { ...tokenizerJson, decoder: { type: "WordPiece" } } }),
  ).toThrow(expect.objectContaining({ code: "TOKENIZER_UNSUPPORTED" }));
});

test("numbers other than 0 to 9 are split too, if the tokenizer splits digits", () => {
  const { model, decoder } = tokenizerJson;
  const bytes = { type: "ByteLevel", add_prefix_space: false, use_regex: false };
  const digits = { type: "Digits", individual_digits: true };
  const merges = [
    ["Â", "½"],
    ["1", "Â½"],
  ];
  const vocab = { ...model.vocab, "Â½": 9000, "1Â½": 9001 };
  const split = createTokenizer({
    tokenizerJson: {
      decoder,
      pre_tokenizer: { type: "Sequence", pretokenizers: [digits, bytes] },
      model: { type: "BPE", vocab, merges },
    },
  });
  expect(split.encode("1½")).toEqual([model.vocab["1"], 9000]);
});
