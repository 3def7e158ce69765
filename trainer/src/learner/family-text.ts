/**
 * Tokenizer and chat format for small models of one family of tasks: learned from its demonstrations,
 * so that a word of the family is a token or two.
 */
import type { TaskFamily } from "@waggle/environments";
import { type NanoText, type TextOptions, trainText } from "../pretrain/nano-text.ts";
import { derivedSeed, seededRandom } from "../random.ts";
import { demonstratedAttempt } from "./rollouts/demonstrated-attempt.ts";

export type FamilyTextOptions = TextOptions & {
  readonly seed: number;
  readonly mistakes: number;
};

export function trainFamilyText(family: TaskFamily, options: FamilyTextOptions): Promise<NanoText> {
  const { seed, contextLength, mistakes } = options;
  return trainText(options, async ({ chat }, i) => {
    const reference = family.reference(derivedSeed(seed, i), "train", i % family.levels);
    const { trajectory } = await demonstratedAttempt(family, reference, chat, {
      random: seededRandom(seed, i),
      mistakes,
      contextLength: 8 * contextLength,
    });
    return trajectory.segments.flatMap((segment) => segment.tokenIds);
  });
}
