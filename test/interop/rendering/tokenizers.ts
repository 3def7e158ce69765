/** Tokenizers for the comparison: of bytes, or with a real model's vocabulary and merges. */
import { createTokenizer, trainByteLevelBpe } from "@waggle/text";
import type { AddedTokenJson, Tokenizer, TokenizerJson } from "@waggle/text";
import { readGgufFileInfo } from "node-llama-cpp";
import { vocabularyFile } from "./llama-cpp-files.ts";

const LETTERS = String.raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?`;
const SPACES = String.raw`\s*[\r\n]+|\s+(?!\S)|\s+`;
const LLAMA3 = String.raw`${LETTERS}\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|${SPACES}`;
const QWEN2 = String.raw`${LETTERS}\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|${SPACES}`;
const QWEN35 = String.raw`${LETTERS}[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|${SPACES}`;
const PATTERNS: { readonly [vocabulary: string]: string } = {
  qwen2: QWEN2,
  qwen35: QWEN35,
  "llama-bpe": LLAMA3,
};

/** The special and added tokens that a template's source names. */
function tokensIn(template: string): string[] {
  const special = template.match(/<\|[a-z_]+\|>/g) ?? [];
  const added = template.match(/<\/?(?:tool_call|think)>/g) ?? [];
  return [...new Set([...special, ...added])];
}

/** A tokenizer whose ordinary tokens are bytes, with the tokens that a template names. */
export function byteTokenizer(template: string): Tokenizer {
  const specialTokens = tokensIn(template).map((content) => ({
    content,
    special: content.startsWith("<|"),
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

/** llama.cpp's number of control tokens. */
const CONTROL = 3;

/** A tokenizer with a vocabulary of llama.cpp's release, and the tokens that the templates name. */
export async function realTokenizer(vocabulary: string, templates: string): Promise<Tokenizer> {
  const { tokens, token_type, merges } = await readVocabulary(vocabulary);
  const isLlama = vocabulary === "llama-bpe";
  const ordinary = tokens.flatMap((token, id) =>
    token_type[id] === 1 ? [[token, id] as const] : [],
  );
  const controls = tokens.flatMap((content, id) =>
    token_type[id] === CONTROL && !content.startsWith("[PAD") ? [{ id, content }] : [],
  );
  const known = new Set(controls.map(({ content }) => content));
  const named = tokensIn(templates)
    .filter((content) => !known.has(content))
    .map((content, i) => ({ id: tokens.length + i, content }));
  const added = [...controls, ...named].map(({ id, content }): AddedTokenJson => {
    const special = content.startsWith("<|");
    return {
      id,
      content,
      special,
      lstrip: false,
      rstrip: false,
      normalized: false,
      single_word: false,
    };
  });
  const regex = { Regex: PATTERNS[vocabulary] as string };
  const tokenizerJson = {
    added_tokens: added,
    normalizer: isLlama ? null : { type: "NFC" },
    pre_tokenizer: {
      type: "Sequence",
      pretokenizers: [
        { type: "Split", pattern: regex, behavior: "Isolated", invert: false },
        { type: "ByteLevel", add_prefix_space: false, trim_offsets: false, use_regex: false },
      ],
    },
    post_processor: null,
    decoder: { type: "ByteLevel", add_prefix_space: false, trim_offsets: false, use_regex: false },
    model: { type: "BPE", vocab: Object.fromEntries(ordinary), merges, ignore_merges: isLlama },
  };
  return createTokenizer({ tokenizerJson: tokenizerJson as unknown as TokenizerJson });
}

async function readVocabulary(name: string): Promise<Vocabulary> {
  const options = { readTensorInfo: false, logWarnings: false };
  const { metadata } = await readGgufFileInfo(vocabularyFile(name), options);
  return metadata.tokenizer.ggml as unknown as Vocabulary;
}
