/**
 * A tokenizer that needs no file: one id per UTF-8 byte, special tokens above. Has the shape of
 * `Tokenizer` of `@waggle/text` without importing it.
 */

/** Options of decoding. */
export type ByteDecodeOptions = { readonly skipSpecialTokens?: boolean };

/** Decodes tokens one at a time; a character may need several. */
export interface ByteStreamDecoder {
  push(tokenId: number): string;
  end(): string;
}

/** A token with an id of its own after the 256 bytes. */
export type ByteSpecialToken = { readonly content: string; readonly special: boolean };

/** ChatML's control tokens and the tags of tool calls, as the nano model has them. */
const CHAT_TOKENS: readonly ByteSpecialToken[] = [
  { content: "<|endoftext|>", special: true },
  { content: "<|im_start|>", special: true },
  { content: "<|im_end|>", special: true },
  { content: "<tool_call>", special: false },
  { content: "</tool_call>", special: false },
  { content: "<tool_response>", special: false },
  { content: "</tool_response>", special: false },
];

/** A tokenizer with one token per UTF-8 byte, plus special tokens. */
export class ByteTokenizer {
  readonly vocabularySize: number;
  readonly #specials: readonly ByteSpecialToken[];
  readonly #encoder = new TextEncoder();

  constructor(specials: readonly ByteSpecialToken[] = CHAT_TOKENS) {
    this.#specials = specials;
    this.vocabularySize = 256 + specials.length;
  }

  encode(text: string): number[] {
    return [...this.#encoder.encode(text)];
  }

  encodeTemplate(text: string): number[] {
    const tokenIds: number[] = [];
    for (let rest = text; rest !== "";) {
      const found = this.#firstSpecial(rest);
      tokenIds.push(...this.encode(rest.slice(0, found?.at)));
      if (found === null) break;
      tokenIds.push(found.id);
      rest = rest.slice(found.at + found.length);
    }
    return tokenIds;
  }

  decode(tokenIds: readonly number[], options: ByteDecodeOptions = {}): string {
    const stream = this.createStreamDecoder(options);
    return tokenIds.map((id) => stream.push(id)).join("") + stream.end();
  }

  createStreamDecoder(options: ByteDecodeOptions = {}): ByteStreamDecoder {
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    return {
      push: (tokenId) => {
        const token = this.#specials[tokenId - 256];
        if (tokenId >= 256 && (!token || (options.skipSpecialTokens && token.special))) return "";
        const bytes = token ? this.#encoder.encode(token.content) : Uint8Array.of(tokenId);
        return decoder.decode(bytes, { stream: true });
      },
      end: () => decoder.decode(),
    };
  }

  specialTokenId(text: string): number | undefined {
    const index = this.#specials.findIndex((token) => token.content === text);
    return index === -1 ? undefined : 256 + index;
  }

  #firstSpecial(text: string): { at: number; length: number; id: number } | null {
    let first: { at: number; length: number; id: number } | null = null;
    for (const [index, { content }] of this.#specials.entries()) {
      const at = text.indexOf(content);
      if (at === -1 || (first !== null && at >= first.at)) continue;
      first = { at, length: content.length, id: 256 + index };
    }
    return first;
  }
}
