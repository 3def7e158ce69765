/**
 * The tokenizer of a Hugging Face `tokenizer.json`, with two ways to encode. `encode` is for untrusted text and
 * produces only ordinary tokens. `encodeTemplate` is for text that a chat template wrote and recognizes special and
 * added tokens. Supports byte-level BPE (Qwen, Llama 3, SmolLM, LFM2, ours) and SentencePiece BPE with byte
 * fallback (Gemma, Llama 2, Mistral), so that every text can be encoded and every token has bytes.
 */
import { Tokenizer as LibraryTokenizer } from "@huggingface/tokenizers";
import { WaggleError } from "@waggle/protocol";
import { tokenBytes, vocabularyKind } from "./token-bytes.ts";
import type { TokenizerConfigJson, TokenizerJson } from "./tokenizer-json.ts";

/** Which special tokens to decode. */
export type DecodeOptions = {
  /** Omits special tokens such as `<|im_end|>`. `<tool_call>` is added but not special. Default false. */
  readonly skipSpecialTokens?: boolean;
  /** Special tokens that are kept nevertheless. */
  readonly keepTokenIds?: ReadonlySet<number>;
};

/** Decodes a stream of ids into whole characters. */
export interface StreamDecoder {
  /** The text completed by this token. Often empty inside a multi-byte character. */
  push(tokenId: number): string;
  /** The rest. An incomplete character becomes U+FFFD. The decoder can then be reused. */
  end(): string;
}

/** Encodes and decodes text. */
export interface Tokenizer {
  /** 1 + the largest known id. A model's vocabulary is often padded to more. */
  readonly vocabularySize: number;
  /** Encodes untrusted text. Never produces special or added tokens or a BOS. */
  encode(text: string): number[];
  /** Encodes text that a chat template wrote. Special and added tokens are recognized. */
  encodeTemplate(text: string): number[];
  /** Decodes ids. Unknown ids are ignored. */
  decode(tokenIds: readonly number[], options?: DecodeOptions): string;
  createStreamDecoder(options?: DecodeOptions): StreamDecoder;
  /** Id of a special or added token; `undefined` if there is none. */
  specialTokenId(text: string): number | undefined;
}

/** A tokenizer's files as parsed JSON. */
export type TokenizerFiles = {
  readonly tokenizerJson: TokenizerJson;
  readonly tokenizerConfig?: TokenizerConfigJson;
};

/**
 * Creates a tokenizer from the two Hugging Face files.
 *
 * @throws WaggleError `TOKENIZER_UNSUPPORTED` if it is not a BPE over bytes.
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
    // ignoreBOM keeps a byte order mark as part of the text.
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
    `the tokenizer (model ${String(json.model?.type ?? "BPE")}) is not a BPE with a ByteLevel or ByteFallback decoder; use a model such as Qwen or Llama`,
  );
}

function toLibrary(json: TokenizerJson, config: TokenizerConfigJson): LibraryTokenizer {
  return new LibraryTokenizer(
    { normalizer: null, pre_tokenizer: null, post_processor: null, ...json },
    config,
  );
}

/**
 * The same tokenizer without added tokens. They are removed from the splitter, from the model's vocabulary (where
 * `ignore_merges` would look words up) and from the results of merges.
 */
function removeAddedTokens(json: TokenizerJson): TokenizerJson {
  // Single characters are kept, because they may be one of the 256 bytes.
  const removed = new Set(
    (json.added_tokens ?? [])
      .map((token) => token.content)
      .filter((text) => text.length > 1 && Object.hasOwn(json.model.vocab, text)),
  );
  // Avoids copying the vocabulary, since most files have no added tokens in it.
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
