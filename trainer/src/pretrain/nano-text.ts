/** Tokenizer and chat format of small models, learned from the dialogues that they are to speak. */
import {
  createChatFormat,
  createTokenizer,
  NANO_SPECIAL_TOKENS,
  nanoTokenizerConfig,
  trainByteLevelBpe,
} from "@waggle/text";
import type { ChatFormat, Tokenizer, TokenizerConfigJson, TokenizerJson } from "@waggle/text";

/** A tokenizer with everything that has to be saved with it. */
export type NanoText = {
  readonly tokenizerJson: TokenizerJson;
  readonly tokenizerConfig: TokenizerConfigJson;
  readonly tokenizer: Tokenizer;
  readonly chat: ChatFormat;
};

export type TextOptions = {
  /** Dialogues to learn from. */
  readonly count: number;
  readonly vocabularySize: number;
  readonly contextLength: number;
};

/** Loads what `trainText` made. */
export function openNanoText(
  tokenizerJson: TokenizerJson,
  tokenizerConfig: TokenizerConfigJson,
): NanoText {
  const tokenizer = createTokenizer({ tokenizerJson, tokenizerConfig });
  const chat = createChatFormat({ tokenizer, tokenizerConfig });
  return { tokenizerJson, tokenizerConfig, tokenizer, chat };
}

/**
 * Dialogues are rendered with a tokenizer of bare bytes first and cut at the special tokens.
 *
 * @param render tokens of dialogue `index`, under the text that it is given.
 */
export async function trainText(
  { count, vocabularySize, contextLength }: TextOptions,
  render: (bytes: NanoText, index: number) => Promise<readonly number[]>,
): Promise<NanoText> {
  const specialTokens = NANO_SPECIAL_TOKENS;
  const tokenizerConfig = nanoTokenizerConfig(contextLength);
  const bytes = openNanoText(
    trainByteLevelBpe([], { vocabularySize: 256 + specialTokens.length, specialTokens }),
    tokenizerConfig,
  );
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
