/**
 * Encoders for the tokenizers that `trainByteLevelBpe` makes, a few lines instead of a library. A page with a model of
 * its site loads no others.
 *
 * Source: Sennrich et al. 2016, "Neural Machine Translation of Rare Words with Subword Units", arXiv:1508.07909, section
 * 3.2. Differs from it: merges pairs of bytes.
 */
import { BYTE_CHARACTERS } from "./byte-level.ts";
import { preTokenizerJson, SPLIT_PATTERN, WORDS_ALONE_PATTERN } from "./split-pattern.ts";
import type { Encoders } from "./tokenizer.ts";
import type { TokenizerJson } from "./tokenizer-json.ts";

/** Ids and positions are below it, so that two of them are one exact number. */
const BASE = 2 ** 26;

/** A merge: its order, and the id of the token that it makes. */
type Merge = { readonly rank: number; readonly id: number };

/** Merges by `left id * BASE + right id`. */
type Merges = ReadonlyMap<number, Merge>;

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
      merge(
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
      ({ content, special, id: _, ...flags }) =>
        content !== "" &&
        !Object.hasOwn(vocab, content) &&
        Object.values(flags).every((value) => !value),
    );
  if (!isPlain) return null;
  const idOf = (token: string) => (Object.hasOwn(vocab, token) ? vocab[token] : undefined);
  const bytes = BYTE_CHARACTERS.map(idOf);
  const byPair = new Map<number, Merge>();
  for (const [rank, each] of merges.entries()) {
    const [first = "", second = ""] = typeof each === "string" ? each.split(" ") : each;
    const [left, right, id] = [idOf(first), idOf(second), idOf(first + second)];
    if (left === undefined || right === undefined || id === undefined) return null;
    byPair.set(left * BASE + right, { rank, id });
  }
  return bytes.includes(undefined) ? null : { bytes: bytes as number[], merges: byPair };
}

/** Merges the pair of lowest rank, the first one of several, until there is none. Takes n log n steps for n bytes. */
function merge(ids: number[], merges: Merges): number[] {
  const { length } = ids;
  const next = ids.map((_, at) => at + 1);
  const previous = ids.map((_, at) => at - 1);
  const mergeAt = (at: number): Merge | undefined => {
    const right = next[at] as number;
    return right < length
      ? merges.get((ids[at] as number) * BASE + (ids[right] as number))
      : undefined;
  };
  const heap: number[] = [];
  const offer = (at: number): void => {
    const found = mergeAt(at);
    if (found !== undefined) push(heap, found.rank * BASE + at);
  };
  for (let at = 0; at < length; at++) offer(at);
  while (heap.length > 0) {
    const least = pop(heap);
    const at = least % BASE;
    const found = mergeAt(at);
    // The pair was merged already, or is another one now.
    if (found?.rank !== Math.floor(least / BASE)) continue;
    const right = next[at] as number;
    ids[at] = found.id;
    ids[right] = GONE;
    const after = (next[at] = next[right] as number);
    if (after < length) previous[after] = at;
    offer(at);
    if (at > 0) offer(previous[at] as number);
  }
  return ids.filter((id) => id !== GONE);
}

/** In place of an id that was merged into the one before it. */
const GONE = -1;

/** Adds a number to a binary heap, whose first number is the least. */
function push(heap: number[], value: number): void {
  let at = heap.push(value) - 1;
  for (let up; at > 0 && (heap[(up = (at - 1) >> 1)] as number) > value; at = up) {
    heap[at] = heap[up] as number;
  }
  heap[at] = value;
}

/** Removes the least number of a heap that is not empty. */
function pop(heap: number[]): number {
  const least = heap[0] as number;
  const value = heap.pop() as number;
  const { length } = heap;
  for (let at = 0; at < length;) {
    let down = 2 * at + 1;
    if (down + 1 < length && (heap[down + 1] as number) < (heap[down] as number)) down++;
    const isPlaced = down >= length || (heap[down] as number) >= value;
    heap[at] = isPlaced ? value : (heap[down] as number);
    if (isPlaced) break;
    at = down;
  }
  return least;
}

/** Parts of a text: the marks, the longest one at each position, and what is between them. */
function splitAt(marks: readonly string[], text: string): string[] {
  if (marks.length === 0) return [text];
  const longestFirst = marks.toSorted((a, b) => b.length - a.length);
  const escaped = longestFirst.map((mark) => mark.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return text.split(new RegExp(`(${escaped.join("|")})`));
}
