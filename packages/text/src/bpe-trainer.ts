/**
 * Trains a byte-level BPE and writes it as a Hugging Face `tokenizer.json`. Made for small vocabularies and
 * megabytes of text in one thread; not for large corpora.
 *
 * Source: Sennrich et al. 2016, "Neural Machine Translation of Rare Words with Subword Units",
 * arXiv:1508.07909, section 3.2. Differs from it: works on bytes instead of characters, counts pairs
 * incrementally, and resolves ties by the smaller pair of ids, so that results are reproducible.
 */
import { WaggleError } from "@waggle/protocol";
import { BYTE_CHARACTERS } from "./byte-level.ts";
import { preTokenizerJson, SPLIT_PATTERN, WORDS_ALONE_PATTERN } from "./split-pattern.ts";
import type { AddedTokenJson, TokenizerJson } from "./tokenizer-json.ts";

/** A token with its own id, above the learned ones. */
export type SpecialToken = {
  readonly content: string;
  /** True for control tokens that a decoder may skip, false for tags that are part of the text. */
  readonly special: boolean;
};

/** Size and special tokens of the vocabulary. */
export type BpeTrainerOptions = {
  /** 256 bytes + merges + special tokens. May turn out smaller if no pair occurs twice any more. */
  readonly vocabularySize: number;
  readonly specialTokens: readonly SpecialToken[];
  /**
   * Whether a word has the same tokens wherever it stands: signs and spaces before it are tokens of their own. A small
   * model then copies words from a request into a call. Costs up to 40 % more tokens. Default false.
   */
  readonly wordsAlone?: boolean;
};

/** Ids stay below 2^21, so a pair of ids is an exact number. */
const PAIR_BASE = 2 ** 21;

/**
 * Trains a tokenizer whose ids are 256 bytes, merges in order, then special tokens.
 *
 * @throws WaggleError `INVALID_ARGUMENT` if the vocabulary is too small for bytes and special tokens.
 */
export function trainByteLevelBpe(
  texts: Iterable<string>,
  options: BpeTrainerOptions,
): TokenizerJson {
  const { vocabularySize, specialTokens, wordsAlone = false } = options;
  const splitPattern = wordsAlone ? WORDS_ALONE_PATTERN : SPLIT_PATTERN;
  const tokenCount = vocabularySize - specialTokens.length;
  if (!Number.isInteger(vocabularySize) || tokenCount < 256 || vocabularySize >= PAIR_BASE) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `vocabularySize is ${vocabularySize}; it must be an integer of at least ${256 + specialTokens.length} (256 bytes and the special tokens) and below ${PAIR_BASE}`,
    );
  }
  const learned = learnMerges(countWords(texts, splitPattern), tokenCount);
  return toTokenizerJson(learned, specialTokens, splitPattern);
}

type Word = { ids: number[]; readonly count: number };

function countWords(texts: Iterable<string>, splitPattern: string): Word[] {
  const pattern = new RegExp(splitPattern, "gu");
  const counts = new Map<string, number>();
  for (const text of texts) {
    for (const [word] of text.matchAll(pattern)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const encoder = new TextEncoder();
  return [...counts].map(([word, count]) => ({ ids: [...encoder.encode(word)], count }));
}

type Learned = {
  /** `[V]` token of each id, in byte characters. */
  readonly tokens: readonly string[];
  /** In the order in which they apply. */
  readonly merges: readonly (readonly [string, string])[];
};

function learnMerges(words: readonly Word[], tokenCount: number): Learned {
  const counts = new Map<number, number>();
  const holders = new Map<number, Set<number>>();
  const add = (left: number, right: number, index: number, amount: number): void => {
    const pair = left * PAIR_BASE + right;
    counts.set(pair, (counts.get(pair) ?? 0) + amount);
    if (amount < 0) return;
    const holder = holders.get(pair);
    if (holder) holder.add(index);
    else holders.set(pair, new Set([index]));
  };
  const addWord = (word: Word, index: number, sign: 1 | -1): void => {
    for (let i = 1; i < word.ids.length; i++) {
      add(word.ids[i - 1] as number, word.ids[i] as number, index, sign * word.count);
    }
  };
  for (const [index, word] of words.entries()) addWord(word, index, 1);

  const tokens = [...BYTE_CHARACTERS];
  const ids = new Map(tokens.map((token, id) => [token, id]));
  const merges: [string, string][] = [];
  while (tokens.length < tokenCount) {
    const best = mostFrequentPair(counts);
    if (best === null) break;
    const left = Math.floor(best / PAIR_BASE);
    const right = best % PAIR_BASE;
    const merge: [string, string] = [tokens[left] as string, tokens[right] as string];
    merges.push(merge);
    // a+bc and ab+c spell the same token: two merges with one id.
    const token = merge.join("");
    const merged = ids.get(token) ?? tokens.push(token) - 1;
    ids.set(token, merged);
    for (const index of holders.get(best) ?? []) {
      const word = words[index] as Word;
      addWord(word, index, -1);
      word.ids = mergePair(word.ids, left, right, merged);
      addWord(word, index, 1);
    }
    counts.delete(best);
    holders.delete(best);
  }
  return { tokens, merges };
}

/** The most frequent pair that occurs at least twice; the smallest in case of ties. */
function mostFrequentPair(counts: ReadonlyMap<number, number>): number | null {
  let best: number | null = null;
  let most = 1;
  for (const [pair, count] of counts) {
    if (count > most || (count === most && best !== null && pair < best)) {
      best = pair;
      most = count;
    }
  }
  return best;
}

function mergePair(ids: readonly number[], left: number, right: number, merged: number): number[] {
  const result: number[] = [];
  for (let i = 0; i < ids.length; i++) {
    if (ids[i] === left && ids[i + 1] === right) {
      result.push(merged);
      i++;
    } else {
      result.push(ids[i] as number);
    }
  }
  return result;
}

function toTokenizerJson(
  { tokens, merges }: Learned,
  specialTokens: readonly SpecialToken[],
  splitPattern: string,
): TokenizerJson {
  const vocab = Object.fromEntries(tokens.map((token, id) => [token, id]));
  const addedTokens = specialTokens.map(({ content, special }, index): AddedTokenJson => ({
    id: tokens.length + index,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special,
  }));
  return {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: addedTokens,
    normalizer: null,
    pre_tokenizer: preTokenizerJson(splitPattern),
    post_processor: null,
    decoder: { type: "ByteLevel", add_prefix_space: false, trim_offsets: false, use_regex: false },
    model: {
      type: "BPE",
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: false,
      vocab,
      merges,
    },
  };
}
