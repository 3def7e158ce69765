/** Tokenizer and chat format of small models, trained on the dialogues that they will speak. */
import {
  createChatFormat,
  createTokenizer,
  NANO_SPECIAL_TOKENS,
  NANO_CHAT_TEMPLATE,
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
  /** Default: the nano model's. */
  readonly chatTemplate?: string | undefined;
  /** As in `BpeTrainerOptions`. */
  readonly wordsAlone?: boolean | undefined;
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
export function byteText(
  contextLength: number,
  chatTemplate: string = NANO_CHAT_TEMPLATE,
): NanoText {
  const specialTokens = NANO_SPECIAL_TOKENS;
  return openNanoText(
    trainByteLevelBpe([], { vocabularySize: 256 + specialTokens.length, specialTokens }),
    nanoTokenizerConfig(contextLength, chatTemplate),
  );
}

/**
 * Trains a tokenizer. Dialogues are first rendered with a byte-level tokenizer and split at special
 * tokens.
 *
 * @param render returns the tokens of dialogue `index` in the given text format
 */
export async function trainText(
  { count, vocabularySize, contextLength, chatTemplate, wordsAlone = false }: TextOptions,
  render: (bytes: NanoText, index: number) => Promise<readonly number[]>,
): Promise<NanoText> {
  const specialTokens = NANO_SPECIAL_TOKENS;
  const tokenizerConfig = nanoTokenizerConfig(contextLength, chatTemplate);
  const bytes = byteText(contextLength, chatTemplate);
  const tags = new RegExp(
    specialTokens.map(({ content }) => content.replace(/[|]/g, "\\|")).join("|"),
  );
  const texts: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const tokenIds = await render(bytes, index);
    texts.push(...bytes.tokenizer.decode(tokenIds).split(tags));
  }
  const tokenizerJson = trainByteLevelBpe(texts, { vocabularySize, specialTokens, wordsAlone });
  return openNanoText(tokenizerJson, tokenizerConfig);
}
