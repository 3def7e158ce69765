/**
 * The tokenizer of a Hugging Face `tokenizer.json`, with two ways to encode. `encode` is for untrusted text and
 * never produces a control token. `encodeTemplate` is for text that a chat template wrote and recognizes all added
 * tokens. Supports byte-level BPE (Qwen, Llama 3, SmolLM, LFM2, ours) and SentencePiece BPE with byte
 * fallback (Gemma, Llama 2, Mistral), so that every text can be encoded and every token has bytes.
 */
import { Tokenizer as LibraryTokenizer } from "@huggingface/tokenizers";
import { isObject } from "@waggle/protocol";
import { controlTest } from "./control-tokens.ts";
import { tokenBytes } from "./token-bytes.ts";
import type { AddedTokenJson, TokenizerFiles } from "./tokenizer-json.ts";

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
  /** Encodes untrusted text. Never produces a control token, such as a special token. */
  encode(text: string): number[];
  /** Encodes text that a chat template wrote. Special and added tokens are recognized. */
  encodeTemplate(text: string): number[];
  /**
   * Decodes ids. Unknown ids are ignored, and so is the space that encoding adds to the start of a text (Llama 2).
   */
  decode(tokenIds: readonly number[], options?: DecodeOptions): string;
  createStreamDecoder(options?: DecodeOptions): StreamDecoder;
  /** Id of a special or added token; `undefined` if there is none. */
  specialTokenId(text: string): number | undefined;
}

/**
 * Creates a tokenizer from the two Hugging Face files.
 *
 * @throws WaggleError `TOKENIZER_UNSUPPORTED` if it is not a BPE over bytes.
 */
export function createTokenizer(files: TokenizerFiles): Tokenizer {
  const { tokenizerJson } = files;
  const added = tokenizerJson.added_tokens ?? [];
  const addedIds = new Map(added.map(({ content, id }) => [content, id]));
  const specialIds = new Set(added.map(({ special, id }) => special && id));
  const bytes = tokenBytes(tokenizerJson);

  const createStreamDecoder = (options: DecodeOptions = {}): StreamDecoder => {
    const isSkipped = (tokenId: number) =>
      options.skipSpecialTokens && specialIds.has(tokenId) && !options.keepTokenIds?.has(tokenId);
    // ignoreBOM keeps a byte order mark as part of the text.
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    let prefix: number | null = bytes.prefix;
    return {
      push: (tokenId) => {
        let own = isSkipped(tokenId) ? undefined : bytes.of(tokenId);
        if (own === undefined) return "";
        if (own[0] === prefix) own = own.subarray(1);
        prefix = null;
        return decoder.decode(own, { stream: true });
      },
      end: () => {
        prefix = bytes.prefix;
        return decoder.decode();
      },
    };
  };

  return {
    vocabularySize: bytes.size,
    ...openEncoders(files),
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

type Encode = (text: string) => number[];

/** Two encoders that share one vocabulary, because building it takes most of the time and memory. */
function openEncoders(files: TokenizerFiles): { encode: Encode; encodeTemplate: Encode } {
  const { tokenizerJson } = files;
  const { added_tokens: added = [], model } = tokenizerJson;
  const isControl = controlTest(files);
  const required = { normalizer: null, post_processor: null };
  const pre_tokenizer = withAllDigits(tokenizerJson["pre_tokenizer"] ?? null);
  const open = (added_tokens: readonly AddedTokenJson[], json: object): LibraryTokenizer =>
    new LibraryTokenizer(
      { ...required, ...tokenizerJson, pre_tokenizer, added_tokens, model: json },
      {},
    );
  const text = open(
    added.filter((token) => !isControl(token)),
    model,
  );
  removeFromModel(text.model as BpeModel, added.filter(isControl));
  const template = open(added, { type: "BPE", vocab: {}, merges: [] });
  template.model = text.model;
  return { encode: encoder(text), encodeTemplate: encoder(template) };
}

/** Splits at all of Unicode's numbers, such as ½. The library's `Digits` knows 0 to 9 only. */
function withAllDigits(preTokenizer: unknown): unknown {
  if (!isObject(preTokenizer)) return preTokenizer;
  const { type, pretokenizers, individual_digits } = preTokenizer;
  if (Array.isArray(pretokenizers)) {
    return { ...preTokenizer, pretokenizers: pretokenizers.map(withAllDigits) };
  }
  if (type !== "Digits") return preTokenizer;
  const pattern = { Regex: individual_digits ? String.raw`\p{N}` : String.raw`\p{N}+` };
  return { type: "Split", pattern, behavior: "Isolated", invert: false };
}

const encoder =
  (tokenizer: LibraryTokenizer): Encode =>
  (text) =>
    tokenizer.encode(text, { add_special_tokens: false }).ids;

/** What is changed in the library's model, which the library does not type. */
type BpeModel = {
  readonly tokens_to_ids: Map<string, number>;
  readonly bpe_ranks: Map<string, number>;
  merges: readonly unknown[];
};

/**
 * Removes control tokens from the model: from its vocabulary, where `ignore_merges` would look words up, and from the
 * results of merges.
 */
function removeFromModel(model: BpeModel, control: readonly AddedTokenJson[]): void {
  for (const { content: token } of control) {
    // Single characters are kept, because they may be one of the 256 bytes.
    if (token.length < 2 || !model.tokens_to_ids.delete(token)) continue;
    for (let at = 1; at < token.length; at++) {
      model.bpe_ranks.delete(JSON.stringify([token.slice(0, at), token.slice(at)]));
    }
  }
  // Only the library's constructor reads this list.
  model.merges = [];
}
