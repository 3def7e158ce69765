/**
 * The tokenizer of a Hugging Face `tokenizer.json`, with two ways to encode. `encode` is for untrusted text and
 * never produces a control token. `encodeTemplate` is for text that a chat template wrote and recognizes all added
 * tokens. Supports byte-level BPE (Qwen, Llama 3, SmolLM, LFM2, ours) and SentencePiece BPE with byte
 * fallback (Gemma, Llama 2, Mistral), so that every text can be encoded and every token has bytes.
 */
import { Tokenizer as LibraryTokenizer } from "@huggingface/tokenizers";
import { WaggleError } from "@waggle/protocol";
import { controlTokens } from "./control-tokens.ts";
import { createByteReader, prefixSpaces, vocabularyKind, vocabularySize } from "./token-bytes.ts";
import type { AddedTokenJson, TokenizerConfigJson, TokenizerJson } from "./tokenizer-json.ts";

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
  /** Encodes untrusted text. Never produces a token of `controlTokens`, which includes special tokens. */
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

/** A tokenizer's files as parsed JSON. */
export type TokenizerFiles = {
  readonly tokenizerJson: TokenizerJson;
  readonly tokenizerConfig?: TokenizerConfigJson;
  /** Overrides the chat template in `tokenizerConfig`. Added tokens that it names are control tokens. */
  readonly chatTemplate?: string;
};

/**
 * Creates a tokenizer from the two Hugging Face files.
 *
 * @throws WaggleError `TOKENIZER_UNSUPPORTED` if it is not a BPE over bytes.
 */
export function createTokenizer(files: TokenizerFiles): Tokenizer {
  const { tokenizerJson } = files;
  requireBytes(tokenizerJson);
  const added = tokenizerJson.added_tokens ?? [];
  const addedIds = new Map(added.map((token) => [token.content, token.id]));
  const specialIds = new Set(added.filter((token) => token.special).map((token) => token.id));
  const bytesOf = createByteReader(tokenizerJson);
  const spaces = prefixSpaces(tokenizerJson);
  let opened: Encoders | undefined;
  const encoders = (): Encoders => (opened ??= openEncoders(files));

  const createStreamDecoder = (options: DecodeOptions = {}): StreamDecoder => {
    const isSkipped = (tokenId: number) =>
      options.skipSpecialTokens && specialIds.has(tokenId) && !options.keepTokenIds?.has(tokenId);
    // ignoreBOM keeps a byte order mark as part of the text.
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    let spacesLeft = spaces;
    const withoutPrefix = (text: string): string => {
      let start = 0;
      while (spacesLeft > 0 && text[start] === " ")
        [start, spacesLeft] = [start + 1, spacesLeft - 1];
      if (start < text.length) spacesLeft = 0;
      return text.slice(start);
    };
    return {
      push: (tokenId) => {
        const bytes = isSkipped(tokenId) ? undefined : bytesOf(tokenId);
        return bytes === undefined ? "" : withoutPrefix(decoder.decode(bytes, { stream: true }));
      },
      end: () => {
        const text = withoutPrefix(decoder.decode());
        spacesLeft = spaces;
        return text;
      },
    };
  };

  return {
    vocabularySize: vocabularySize(tokenizerJson),
    encode: (text) => idsOf(encoders().text, text),
    encodeTemplate: (text) => idsOf(encoders().template, text),
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

/** Two encoders that share one vocabulary. */
type Encoders = { readonly text: LibraryTokenizer; readonly template: LibraryTokenizer };

function openEncoders(files: TokenizerFiles): Encoders {
  const { tokenizerJson, tokenizerConfig = {} } = files;
  const added = tokenizerJson.added_tokens ?? [];
  const control = controlTokens(files);
  const ordinary = added.filter((token) => !control.has(token.content));
  const text = toLibrary({ ...tokenizerJson, added_tokens: ordinary }, {});
  removeFromModel(text.model as BpeModel, control);
  // Shares the model of the other, because building one takes most of the time and memory.
  const noModel = { type: "BPE", vocab: {}, merges: [] };
  const template = toLibrary(
    { ...tokenizerJson, added_tokens: added, model: noModel },
    tokenizerConfig,
  );
  template.model = text.model;
  return { text, template };
}

function toLibrary(json: TokenizerJson, config: TokenizerConfigJson): LibraryTokenizer {
  return new LibraryTokenizer(
    { normalizer: null, pre_tokenizer: null, post_processor: null, ...json },
    config,
  );
}

/** The library's model, with members that its types leave out. */
type BpeModel = NonNullable<LibraryTokenizer["model"]> & {
  readonly bpe_ranks: Map<string, number>;
  merges: readonly unknown[];
};

/**
 * Removes control tokens from the model: from its vocabulary, where `ignore_merges` would look words up, and from the
 * results of merges.
 */
function removeFromModel(model: BpeModel, control: ReadonlySet<string>): void {
  for (const token of control) {
    // Single characters are kept, because they may be one of the 256 bytes.
    if (token.length <= 1 || !model.tokens_to_ids.delete(token)) continue;
    for (let at = 1; at < token.length; at++) {
      model.bpe_ranks.delete(JSON.stringify([token.slice(0, at), token.slice(at)]));
    }
  }
  // Only the library's constructor and its decoder read these lists.
  model.merges = [];
  model.vocab = [];
}

function idsOf(encoder: LibraryTokenizer, text: string): number[] {
  return text === "" ? [] : encoder.encode(text, { add_special_tokens: false }).ids;
}
