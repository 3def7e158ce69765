/**
 * Tokenizer and chat format for small models of one environment: learned from its demonstrations,
 * so that a word of the environment is a token or two.
 */
import type { EnvironmentSpec } from "@waggle/environments";
import { type NanoText, type TextOptions, trainText } from "./nano-text.ts";
import { baseDemonstration } from "./base-demonstration.ts";

export type EnvironmentTextOptions = TextOptions & {
  readonly seed: number;
  readonly mistakes: number;
};

export function trainEnvironmentText(
  spec: EnvironmentSpec,
  options: EnvironmentTextOptions,
): Promise<NanoText> {
  const { seed, contextLength, mistakes } = options;
  return trainText(options, async ({ chat }, i) => {
    const { segments } = await baseDemonstration(spec, chat, i, {
      seed,
      mistakes,
      contextLength: 8 * contextLength,
    });
    return segments.flatMap((segment) => segment.tokenIds);
  });
}
