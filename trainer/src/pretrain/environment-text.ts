/**
 * Tokenizer and chat format for small models of one environment, trained on its demonstrations so
 * that each of its words takes one or two tokens.
 */
import type { EnvironmentSpec } from "@waggle/environments";
import type { ChatFormat } from "@waggle/text";
import { sha256 } from "@waggle/protocol";
import { byteText, type NanoText, type TextOptions, trainText } from "./nano-text.ts";
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
  return trainText(options, ({ chat }, i) => demonstratedTokens(spec, chat, i, options));
}

/** Demonstrations that the digest covers: a change in a rare task may stay unnoticed. */
const DIGESTED = 64;

/**
 * A digest of the environment's first demonstrations, as the model reads them.
 *
 * @param chat - default: bytes, in the nano model's template
 */
export async function demonstrationsDigest(
  spec: EnvironmentSpec,
  options: Omit<EnvironmentTextOptions, "count" | "vocabularySize">,
  { chat }: Pick<NanoText, "chat"> = byteText(options.contextLength),
): Promise<string> {
  const tokens: number[] = [];
  for (let i = 0; i < DIGESTED; i += 1) {
    tokens.push(...(await demonstratedTokens(spec, chat, i, options)));
  }
  return sha256(new TextEncoder().encode(tokens.join(",")));
}

async function demonstratedTokens(
  spec: EnvironmentSpec,
  chat: ChatFormat,
  nth: number,
  { seed, mistakes, contextLength }: Omit<EnvironmentTextOptions, "count" | "vocabularySize">,
): Promise<number[]> {
  const { segments } = await baseDemonstration(spec, chat, nth, {
    seed,
    mistakes,
    contextLength: 8 * contextLength,
  });
  return segments.flatMap((segment) => segment.tokenIds);
}
