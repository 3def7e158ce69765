/** The outputs of a batch before any of its microbatches has run. */
import type { TrainBatch } from "@waggle/protocol";

/** Zeros, `[T]` for each sequence. Tokens that nothing predicts keep them. */
export function emptyOutputs({ sequences }: TrainBatch): {
  readonly [name in "logProb" | "rawLogProb" | "entropy" | "sumSquaredProb"]: Float32Array[];
} {
  const zeros = (): Float32Array[] =>
    sequences.map(({ tokenIds }) => new Float32Array(tokenIds.length));
  return { logProb: zeros(), rawLogProb: zeros(), entropy: zeros(), sumSquaredProb: zeros() };
}
