/** How much one run may read, by device and model. */
import type { DecoderConfig } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";

/** Logits of one run on a CPU, in numbers: 32 MB. */
const MAX_RUN_LOGITS = 8 * 1024 * 1024;

/** Attention scores of one run on a CPU, of one layer, in numbers: 64 MB. */
const MAX_RUN_SCORES = 16 * 1024 * 1024;

/** Tokens of one run on a CPU: as many as keep the attention scores within bounds, at least 16. */
export function runTokensFor({ heads }: DecoderConfig, contextLength: number): number {
  const byScores = Math.floor(MAX_RUN_SCORES / (heads * contextLength));
  return Math.max(16, Math.min(1024, byScores));
}

/** Tokens of one run on a CPU that are scored: as many as keep the logits within bounds, at least 16. */
export function runScoresFor({ vocabularySize }: DecoderConfig): number {
  return Math.max(16, Math.floor(MAX_RUN_LOGITS / vocabularySize));
}

/** Contexts of one decoding run on a CPU, where more share the work of reading the weights. */
export function decodeRowsFor(config: DecoderConfig): number {
  return Math.max(1, Math.min(32, Math.floor(MAX_RUN_LOGITS / config.vocabularySize)));
}

/**
 * Most tokens of one session: what was asked for, else the model's context, at most 8192, as longer
 * ones cost memory.
 *
 * @throws WaggleError `INVALID_ARGUMENT` for more than the model has positions: it would answer, in
 *   places it has never seen.
 */
export function contextLengthFor(config: DecoderConfig, asked?: number | null): number {
  const most = config.contextLength;
  if (asked == null) return Math.min(most, 8192);
  if (Number.isInteger(asked) && asked >= 1 && asked <= most) return asked;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `contextLength must be 1 to the model's ${most} positions, got ${asked}; ask for less`,
  );
}

/**
 * CPU threads of one run where nothing else is asked for. Small models are slower on two threads
 * than on one: a run is shorter than the time that threads take to meet, and they spin meanwhile.
 *
 * @param weightBytes - size of the weights in float32.
 * @param offered - threads the machine has for this.
 */
export function defaultThreads(weightBytes: number, offered: number): number {
  return weightBytes < SMALL_WEIGHT_BYTES ? 1 : Math.max(1, Math.min(4, offered));
}

/** 4 M parameters. */
const SMALL_WEIGHT_BYTES = 16 * 1024 * 1024;
