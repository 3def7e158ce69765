/** Tokenizers for the comparison: of bytes, or with a real model's vocabulary and merges. */
import { createTokenizer, trainByteLevelBpe } from "@waggle/text";
import type { AddedTokenJson, Tokenizer, TokenizerJson } from "@waggle/text";
import { readGgufFileInfo } from "node-llama-cpp";
import { recordedEncodings, vocabularyFile } from "./llama-cpp-files.ts";

const LETTERS = String.raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?`;
const SPACES = String.raw`\s*[\r\n]+|\s+(?!\S)|\s+`;
const LLAMA3 = String.raw`${LETTERS}\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|${SPACES}`;
const QWEN2 = String.raw`${LETTERS}\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|${SPACES}`;
const QWEN35 = String.raw`${LETTERS}[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|${SPACES}`;

const BYTES = { type: "ByteLevel", add_prefix_space: false, trim_offsets: false, use_regex: false };
const split = (pattern: string): object => ({
  type: "Sequence",
  pretokenizers: [
    { type: "Split", pattern: { Regex: pattern }, behavior: "Isolated", invert: false },
    BYTES,
  ],
});
const NFC = { type: "NFC" };

/** Parts of `tokenizer.json` that a GGUF file does not contain, by vocabulary. */
const PARTS: { readonly [vocabulary: string]: object } = {
  qwen2: { normalizer: NFC, pre_tokenizer: split(QWEN2), decoder: BYTES },
  qwen35: { normalizer: NFC, pre_tokenizer: split(QWEN35), decoder: BYTES },
  "llama-bpe": { normalizer: null, pre_tokenizer: split(LLAMA3), decoder: BYTES },
  "command-r": {
    normalizer: NFC,
    pre_tokenizer: {
      type: "Sequence",
      pretokenizers: [
        { type: "Digits", individual_digits: true },
        { ...BYTES, use_regex: true },
      ],
    },
    decoder: BYTES,
  },
  "gemma-4": {
    normalizer: { type: "Replace", pattern: { String: " " }, content: "▁" },
    pre_tokenizer: {
      type: "Split",
      pattern: { String: " " },
      behavior: "MergedWithPrevious",
      invert: false,
    },
    decoder: {
      type: "Sequence",
      decoders: [
        { type: "Replace", pattern: { String: "▁" }, content: " " },
        { type: "ByteFallback" },
        { type: "Fuse" },
      ],
    },
  },
};

/** Whether a token gives a conversation its structure. Qwen's `<tool_call>` is added, but not special. */
function isSpecial(token: string): boolean {
  return /^<[|｜]|[|｜]>$/.test(token);
}

/** The special and added tokens that a template's source names. */
function tokensIn(template: string): string[] {
  const special = template.match(/<\|[A-Za-z_]+\|?>|<[a-z_]+\|>|<｜[^｜\s]+｜>/g) ?? [];
  const added = template.match(/<\/?(?:tool_call|think)>/g) ?? [];
  return [...new Set([...special, ...added])];
}

/** A tokenizer whose ordinary tokens are bytes, with the tokens that a template names. */
export function byteTokenizer(template: string): Tokenizer {
  const specialTokens = tokensIn(template).map((content) => ({
    content,
    special: isSpecial(content),
  }));
  const vocabularySize = 256 + specialTokens.length;
  const options = { vocabularySize, specialTokens };
  return createTokenizer({ tokenizerJson: trainByteLevelBpe([], options) });
}

type Vocabulary = {
  readonly tokens: readonly string[];
  readonly token_type: readonly number[];
  readonly merges: readonly string[];
};

/** llama.cpp's numbers of control tokens, of other added tokens and of bytes. */
const CONTROL = 3;
const USER_DEFINED = 4;
const BYTE = 6;

/** A tokenizer with a vocabulary of llama.cpp's release and the model's added tokens, by content. */
export async function realTokenizer(
  vocabulary: string,
  addedTokens: { readonly [token: string]: number },
): Promise<Tokenizer> {
  const { tokens, token_type, merges } = await readVocabulary(vocabulary);
  const hasBytes = token_type.includes(BYTE);
  const added = new Map<number, AddedTokenJson>();
  const add = (id: number, content: string, special: boolean): void => {
    const flags = { lstrip: false, rstrip: false, normalized: false, single_word: false };
    added.set(id, { id, content, special, ...flags });
  };
  for (const [id, content] of tokens.entries()) {
    const isAdded = token_type[id] === CONTROL || token_type[id] === USER_DEFINED;
    if (isAdded && !content.startsWith("[PAD")) add(id, content, token_type[id] === CONTROL);
  }
  for (const [content, id] of Object.entries(addedTokens)) add(id, content, isSpecial(content));
  const ordinary = tokens.flatMap((token, id) =>
    hasBytes || token_type[id] === 1 ? [[token, id] as const] : [],
  );
  const tokenizerJson = {
    added_tokens: [...added.values()],
    post_processor: null,
    ...PARTS[vocabulary],
    model: {
      type: "BPE",
      vocab: Object.fromEntries(ordinary),
      merges,
      ignore_merges: vocabulary === "llama-bpe",
      ...(hasBytes && { unk_token: "<unk>", fuse_unk: true, byte_fallback: true }),
    },
  };
  return createTokenizer({ tokenizerJson: tokenizerJson as unknown as TokenizerJson });
}

/** Ids for the tokens that templates name, beyond a vocabulary that is another model's. */
export async function namedTokens(
  vocabulary: string,
  templates: string,
): Promise<{ [token: string]: number }> {
  const { tokens } = await readVocabulary(vocabulary);
  const known = new Set(tokens);
  const named = tokensIn(templates).filter((content) => !known.has(content));
  return Object.fromEntries(named.map((content, i) => [content, tokens.length + i]));
}

/** Texts that a tokenizer encodes differently from the model's original tokenizer, as llama.cpp recorded it. */
export function differentEncodings(vocabulary: string, tokenizer: Tokenizer): string[] {
  return recordedEncodings(vocabulary)
    .filter(({ text, tokenIds }) => String(tokenizer.encode(text)) !== String(tokenIds))
    .map(
      ({ text }) =>
        `${vocabulary}: the original tokenizer encodes ${JSON.stringify(text)} otherwise`,
    );
}

async function readVocabulary(name: string): Promise<Vocabulary> {
  const options = { readTensorInfo: false, logWarnings: false };
  const { metadata } = await readGgufFileInfo(vocabularyFile(name), options);
  return metadata.tokenizer.ggml as unknown as Vocabulary;
}
