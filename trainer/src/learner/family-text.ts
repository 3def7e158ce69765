/**
 * Tokenizer and chat format for small models of one family of tasks: learned from its demonstrations,
 * so that a word of the family is a token or two.
 */
import type { TaskFamily } from "@waggle/environments";
import { type NanoText, type TextOptions, trainText } from "../pretrain/nano-text.ts";
import { baseDemonstration } from "./base-demonstration.ts";

export type FamilyTextOptions = TextOptions & {
  readonly seed: number;
  readonly mistakes: number;
};

export function trainFamilyText(family: TaskFamily, options: FamilyTextOptions): Promise<NanoText> {
  const { seed, contextLength, mistakes } = options;
  return trainText(options, async ({ chat }, i) => {
    const { segments } = await baseDemonstration(family, chat, i, {
      ...{ seed, mistakes },
      contextLength: 8 * contextLength,
    });
    return segments.flatMap((segment) => segment.tokenIds);
  });
}
