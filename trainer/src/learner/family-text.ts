/**
 * Tokenizer and chat format for small models of one family of tasks: learned from its demonstrations,
 * so that a word of the family is a token or two.
 */
import type { TaskFamily } from "@waggle/environments";
import { NANO_SPECIAL_TOKENS, nanoTokenizerConfig, trainByteLevelBpe } from "@waggle/text";
import { openNanoText, type NanoText } from "../pretrain/corpus.ts";
import { derivedSeed, seededRandom } from "../random.ts";
import { demonstratedAttempt } from "./demonstrated-attempt.ts";

export type FamilyTextOptions = {
  readonly seed: number;
  /** Demonstrations to learn from. */
  readonly count: number;
  readonly vocabularySize: number;
  readonly contextLength: number;
  readonly mistakes: number;
};

/** Demonstrations are rendered with a tokenizer of bare bytes first and cut at the special tokens. */
export async function trainFamilyText(
  family: TaskFamily,
  options: FamilyTextOptions,
): Promise<NanoText> {
  const { seed, count, vocabularySize, contextLength, mistakes } = options;
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
  for (let i = 0; i < count; i += 1) {
    const reference = family.reference(derivedSeed(seed, i), "train", i % family.levels);
    const { trajectory } = await demonstratedAttempt(family, reference, bytes.chat, {
      random: seededRandom(seed, i),
      mistakes,
      contextLength: 8 * contextLength,
    });
    const tokenIds = trajectory.segments.flatMap((segment) => segment.tokenIds);
    texts.push(...bytes.tokenizer.decode(tokenIds).split(tags));
  }
  return openNanoText(trainByteLevelBpe(texts, { vocabularySize, specialTokens }), tokenizerConfig);
}
