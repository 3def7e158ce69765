/**
 * A tokenizer with two ways to encode. `encode` is for untrusted text and never produces a control token.
 * `encodeTemplate` is for text that a chat template wrote and recognizes all added tokens.
 */
import { tokenBytes } from "./token-bytes.ts";
import type { TokenizerJson } from "./tokenizer-json.ts";

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

/** The two ways to encode. */
export type Encoders = Pick<Tokenizer, "encode" | "encodeTemplate">;

/**
 * Adds decoding to encoders of the same file.
 *
 * @throws WaggleError `TOKENIZER_UNSUPPORTED` if it is not a BPE over bytes. `openEncoders` is then not called.
 */
export function tokenizerOver(
  tokenizerJson: TokenizerJson,
  openEncoders: () => Encoders,
): Tokenizer {
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
    ...openEncoders(),
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
