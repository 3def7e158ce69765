/** Limits of one run, by device and model. */
import type { DecoderConfig } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";

/** Maximum numbers in the logits of one run on a CPU: 32 MB. */
const MAX_RUN_LOGITS = 8 * 1024 * 1024;

/** Maximum numbers in one layer's attention scores in a run on a CPU: 64 MB. */
const MAX_RUN_SCORES = 16 * 1024 * 1024;

/** Tokens of one run on a CPU: limited by attention scores, at least 16. */
export function runTokensFor({ heads }: DecoderConfig, contextLength: number): number {
  const byScores = Math.floor(MAX_RUN_SCORES / (heads * contextLength));
  return Math.max(16, Math.min(1024, byScores));
}

/** Scored tokens of one run on a CPU: limited by logits, at least 16. */
export function runScoresFor({ vocabularySize }: DecoderConfig): number {
  return Math.max(16, Math.floor(MAX_RUN_LOGITS / vocabularySize));
}

/** Contexts of one decoding run on a CPU; several share the work of reading the weights. */
export function decodeRowsFor(config: DecoderConfig): number {
  return Math.max(1, Math.min(32, Math.floor(MAX_RUN_LOGITS / config.vocabularySize)));
}

/**
 * Maximum tokens of one session: the requested number, by default the model's context up to 8192,
 * because longer ones cost memory.
 *
 * @throws WaggleError `INVALID_ARGUMENT` for more than the model's positions. It would still
 *   answer, but at positions it has never seen.
 */
export function contextLengthFor(config: DecoderConfig, asked?: number | null): number {
  const most = config.contextLength;
  if (asked == null) return Math.min(most, 8192);
  if (Number.isInteger(asked) && asked >= 1 && asked <= most) return asked;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `contextLength is ${asked}, but this model supports 1 to ${most} positions`,
  );
}

/**
 * Default CPU threads of one run. Small models are slower on two threads than on one: a run is
 * shorter than the time for synchronizing threads, which spin meanwhile.
 *
 * @param weightBytes - size of the weights in float32.
 * @param offered - threads of the machine available for this.
 */
export function defaultThreads(weightBytes: number, offered: number): number {
  return weightBytes < SMALL_WEIGHT_BYTES ? 1 : Math.max(1, Math.min(4, offered));
}

/** 4 M parameters. */
const SMALL_WEIGHT_BYTES = 16 * 1024 * 1024;
