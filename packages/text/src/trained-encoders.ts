/**
 * Encoders for the tokenizers that `trainByteLevelBpe` makes, a few lines instead of a library. A page with a model of
 * its site loads no others.
 */
import { BYTE_CHARACTERS } from "./byte-level.ts";
import { mergePairs, pairKey } from "./merge-pairs.ts";
import type { Merge, Merges } from "./merge-pairs.ts";
import { preTokenizerJson, SPLIT_PATTERN, WORDS_ALONE_PATTERN } from "./split-pattern.ts";
import type { Encoders } from "./tokenizer.ts";
import type { TokenizerJson } from "./tokenizer-json.ts";

/** `null` for a tokenizer of another kind. */
export function trainedEncoders(json: TokenizerJson): Encoders | null {
  const written = JSON.stringify(json["pre_tokenizer"]);
  const pattern = [SPLIT_PATTERN, WORDS_ALONE_PATTERN].find(
    (each) => JSON.stringify(preTokenizerJson(each)) === written,
  );
  const vocabulary = pattern === undefined ? null : readVocabulary(json);
  if (pattern === undefined || vocabulary === null) return null;
  const { bytes, merges } = vocabulary;
  const added = new Map((json.added_tokens ?? []).map(({ content, id }) => [content, id]));
  // Rust's \s and \S are Unicode's, and JavaScript's are not.
  const source = pattern.replace(/\\([sS])/g, (_, s) => `\\${s === "s" ? "p" : "P"}{White_Space}`);
  const words = new RegExp(source, "gu");
  const utf8 = new TextEncoder();

  const encode = (text: string): number[] =>
    (text.match(words) ?? []).flatMap((word) =>
      mergePairs(
        Array.from(utf8.encode(word), (byte) => bytes[byte] as number),
        merges,
      ),
    );
  return {
    encode,
    encodeTemplate: (text) =>
      splitAt([...added.keys()], text).flatMap((part) => added.get(part) ?? encode(part)),
  };
}

/** Ids of the 256 bytes, and the merges; `null` if the model is not one of ours. */
function readVocabulary(
  json: TokenizerJson,
): { readonly bytes: readonly number[]; readonly merges: Merges } | null {
  const { model, added_tokens = [] } = json;
  const { vocab, merges } = model;
  // What is not named in the type must be off: a normalizer, `ignore_merges` and others.
  const isPlain =
    [json["normalizer"], json["post_processor"]].every((part) => part == null) &&
    model.type === "BPE" &&
    Object.values({ ...model, type: 0, vocab: 0, merges: 0 }).every((value) => !value) &&
    added_tokens.every(
      (token) =>
        token.content !== "" &&
        !Object.hasOwn(vocab, token.content) &&
        Object.values({ ...token, id: 0, content: "", special: false }).every((value) => !value),
    );
  if (!isPlain) return null;
  const idOf = (token: string) => (Object.hasOwn(vocab, token) ? vocab[token] : undefined);
  const bytes = BYTE_CHARACTERS.map(idOf);
  const byPair = new Map<number, Merge>();
  for (const [rank, each] of merges.entries()) {
    const [first = "", second = ""] = typeof each === "string" ? each.split(" ") : each;
    const [left, right, id] = [idOf(first), idOf(second), idOf(first + second)];
    if (left === undefined || right === undefined || id === undefined) return null;
    byPair.set(pairKey(left, right), { rank, id });
  }
  return bytes.includes(undefined) ? null : { bytes: bytes as number[], merges: byPair };
}

/** Parts of a text: the marks, the longest one at each position, and what is between them. */
function splitAt(marks: readonly string[], text: string): string[] {
  if (marks.length === 0) return [text];
  const longestFirst = marks.toSorted((a, b) => b.length - a.length);
  const escaped = longestFirst.map((mark) => mark.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return text.split(new RegExp(`(${escaped.join("|")})`));
}
