/**
 * The tokenizer: Hugging Face's `tokenizer.json`, with two doors. `encode` is for text that anyone
 * may have written and can only give ordinary tokens; `encodeTemplate` is for text that a chat
 * template wrote and recognizes special and added tokens. Byte-level BPE (Qwen, Llama 3, SmolLM,
 * LFM2, ours) and SentencePiece BPE with byte fallback (Gemma, Llama 2, Mistral): every text has a
 * tokenization and every token has bytes.
 */
import { Tokenizer as LibraryTokenizer } from "@huggingface/tokenizers";
import { WaggleError } from "@waggle/protocol";
import { tokenBytes, vocabularyKind } from "./token-bytes.ts";
import type { TokenizerConfigJson, TokenizerJson } from "./tokenizer-json.ts";

export type DecodeOptions = {
  /** Leaves out special tokens such as `<|im_end|>`; `<tool_call>` is added, not special. Default false. */
  readonly skipSpecialTokens?: boolean;
  /** Special tokens that stay all the same. */
  readonly keepTokenIds?: ReadonlySet<number>;
};

/** Decodes a stream of ids; text comes out in whole characters. */
export interface StreamDecoder {
  /** The text that became complete with this token; often empty inside a multi-byte character. */
  push(tokenId: number): string;
  /** What is left; an unfinished character comes out as U+FFFD. The decoder may then be reused. */
  end(): string;
}

export interface Tokenizer {
  /** 1 + the largest id it knows. A model's vocabulary is often padded above it. */
  readonly vocabularySize: number;
  /** Ids of text that anyone may have written: never a special or added token, never a BOS. */
  encode(text: string): number[];
  /** Ids of text that a chat template wrote: special and added tokens are recognized. */
  encodeTemplate(text: string): number[];
  /** Text of ids. Ids that it does not know give nothing. */
  decode(tokenIds: readonly number[], options?: DecodeOptions): string;
  createStreamDecoder(options?: DecodeOptions): StreamDecoder;
  /** Id of a special or added token. */
  specialTokenId(text: string): number | undefined;
}

export type TokenizerFiles = {
  readonly tokenizerJson: TokenizerJson;
  readonly tokenizerConfig?: TokenizerConfigJson;
};

/**
 * A tokenizer of the two Hugging Face files.
 *
 * @throws WaggleError `TOKENIZER_UNSUPPORTED` where it is no BPE over bytes.
 */
export function createTokenizer(files: TokenizerFiles): Tokenizer {
  const { tokenizerJson, tokenizerConfig = {} } = files;
  requireBytes(tokenizerJson);
  const added = tokenizerJson.added_tokens ?? [];
  const withAdded = toLibrary({ ...tokenizerJson, added_tokens: added }, tokenizerConfig);
  const withoutAdded = toLibrary(removeAddedTokens(tokenizerJson), {});

  const addedIds = new Map(added.map((token) => [token.content, token.id]));
  const specialIds = new Set(added.filter((token) => token.special).map((token) => token.id));
  const bytesOf = tokenBytes(tokenizerJson);

  const createStreamDecoder = (options: DecodeOptions = {}): StreamDecoder => {
    const isSkipped = (tokenId: number) =>
      options.skipSpecialTokens && specialIds.has(tokenId) && !options.keepTokenIds?.has(tokenId);
    // ignoreBOM: a BOM in the text is text.
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    return {
      push: (tokenId) => {
        const bytes = bytesOf.get(tokenId);
        if (bytes === undefined || isSkipped(tokenId)) return "";
        return decoder.decode(bytes, { stream: true });
      },
      end: () => decoder.decode(),
    };
  };

  return {
    vocabularySize: 1 + [...bytesOf.keys()].reduce((a, b) => Math.max(a, b), -1),
    encode: (text) =>
      text === "" ? [] : withoutAdded.encode(text, { add_special_tokens: false }).ids,
    encodeTemplate: (text) =>
      text === "" ? [] : withAdded.encode(text, { add_special_tokens: false }).ids,
    decode: (tokenIds, options = {}) => {
      const stream = createStreamDecoder(options);
      let text = "";
      for (const tokenId of tokenIds) text += stream.push(tokenId);
      return text + stream.end();
    },
    createStreamDecoder,
    specialTokenId: (text) => addedIds.get(text),
  };
}

function requireBytes(json: TokenizerJson): void {
  if (vocabularyKind(json) !== null) return;
  throw new WaggleError(
    "TOKENIZER_UNSUPPORTED",
    `a tokenizer must be a BPE with a ByteLevel or ByteFallback decoder, got model ${String(json.model?.type ?? "BPE")}; use a model of the Qwen, Llama, SmolLM, Gemma, Mistral or LFM kind`,
  );
}

function toLibrary(json: TokenizerJson, config: TokenizerConfigJson): LibraryTokenizer {
  return new LibraryTokenizer(
    { normalizer: null, pre_tokenizer: null, post_processor: null, ...json },
    config,
  );
}

/**
 * The same tokenizer, unable to give an added token: neither by its splitter, nor from the
 * vocabulary of the model (`ignore_merges` looks whole words up there), nor as the end of a merge.
 */
function removeAddedTokens(json: TokenizerJson): TokenizerJson {
  // A single character may be one of the 256 bytes: those stay.
  const removed = new Set(
    (json.added_tokens ?? [])
      .map((token) => token.content)
      .filter((text) => text.length > 1 && Object.hasOwn(json.model.vocab, text)),
  );
  // Most files have none of them there; their vocabularies are large.
  if (removed.size === 0) return { ...json, added_tokens: [] };
  const vocab = Object.fromEntries(
    Object.entries(json.model.vocab).filter(([token]) => !removed.has(token)),
  );
  const merges = json.model.merges.filter((merge) => {
    const pair = typeof merge === "string" ? merge.split(" ") : merge;
    return !removed.has(pair.join(""));
  });
  return { ...json, added_tokens: [], model: { ...json.model, vocab, merges } };
}
