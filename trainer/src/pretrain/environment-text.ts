/**
 * Tokenizer and chat format for small models of one environment, trained on its demonstrations so
 * that each of its words takes one or two tokens.
 */
import type { EnvironmentSpec } from "@waggle/environments";
import { type NanoText, type TextOptions, trainText } from "./nano-text.ts";
import { baseDemonstration } from "./base-demonstration.ts";

export type EnvironmentTextOptions = TextOptions & {
  readonly seed: number;
  readonly mistakes: number;
};

/** Trains the tokenizer of an environment. */
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
