/** Tokenizer and chat format of small models, trained on the dialogues that they will speak. */
import {
  createChatFormat,
  createTokenizer,
  NANO_SPECIAL_TOKENS,
  nanoTokenizerConfig,
  trainByteLevelBpe,
} from "@waggle/text";
import type { ChatFormat, Tokenizer, TokenizerConfigJson, TokenizerJson } from "@waggle/text";

/** A tokenizer with the files to save with it. */
export type NanoText = {
  readonly tokenizerJson: TokenizerJson;
  readonly tokenizerConfig: TokenizerConfigJson;
  readonly tokenizer: Tokenizer;
  readonly chat: ChatFormat;
};

/** Options for training a tokenizer. */
export type TextOptions = {
  /** Number of dialogues to train on. */
  readonly count: number;
  readonly vocabularySize: number;
  readonly contextLength: number;
};

/** Loads the files that `trainText` made. */
export function openNanoText(
  tokenizerJson: TokenizerJson,
  tokenizerConfig: TokenizerConfigJson,
): NanoText {
  const tokenizer = createTokenizer({ tokenizerJson, tokenizerConfig });
  const chat = createChatFormat({ tokenizer, tokenizerConfig });
  return { tokenizerJson, tokenizerConfig, tokenizer, chat };
}

/** A text format whose tokens are bytes and special tokens. */
export function byteText(contextLength: number): NanoText {
  const specialTokens = NANO_SPECIAL_TOKENS;
  return openNanoText(
    trainByteLevelBpe([], { vocabularySize: 256 + specialTokens.length, specialTokens }),
    nanoTokenizerConfig(contextLength),
  );
}

/**
 * Trains a tokenizer. Dialogues are first rendered with a byte-level tokenizer and split at special
 * tokens.
 *
 * @param render returns the tokens of dialogue `index` in the given text format
 */
export async function trainText(
  { count, vocabularySize, contextLength }: TextOptions,
  render: (bytes: NanoText, index: number) => Promise<readonly number[]>,
): Promise<NanoText> {
  const specialTokens = NANO_SPECIAL_TOKENS;
  const tokenizerConfig = nanoTokenizerConfig(contextLength);
  const bytes = byteText(contextLength);
  const tags = new RegExp(
    specialTokens.map(({ content }) => content.replace(/[|]/g, "\\|")).join("|"),
  );
  const texts: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const tokenIds = await render(bytes, index);
    texts.push(...bytes.tokenizer.decode(tokenIds).split(tags));
  }
  return openNanoText(trainByteLevelBpe(texts, { vocabularySize, specialTokens }), tokenizerConfig);
}
