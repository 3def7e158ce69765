/** Log-probs of candidates in TensorFlow.js, as one list of (position, id) per microbatch. */
import * as tf from "@tensorflow/tfjs";
import type { TokenDerivatives, TokenOutputs } from "@waggle/protocol";
import { forEachAsked, type Microbatch } from "../batch/microbatch.ts";
import { oneHotRows, selectRows } from "./tfjs-operations.ts";

type CandidateRows = readonly (readonly (Float32Array | null)[])[];

/** `[Q]` raw log-probs of all candidates of the microbatch's rows, in order; `null` without any. */
export function candidateLogProbs(
  rawLogProbs: tf.Tensor2D,
  { candidateTokenIds, rows }: Microbatch,
): tf.Tensor1D | null {
  const places = (candidateTokenIds ?? []).flatMap((ids, k) =>
    (ids ?? []).map((id) => [rows[k] as number, id] as const),
  );
  if (places.length === 0) return null;
  const of = (part: 0 | 1): Int32Array => Int32Array.from(places, (place) => place[part]);
  const ofRows = selectRows(rawLogProbs, of(0));
  return tf.sum(tf.mul(ofRows, oneHotRows(of(1), rawLogProbs.shape[1])), -1);
}

/** Writes `[Q]` values to the sequences and tokens that asked for them. */
export function scatterCandidates(
  microbatch: Microbatch,
  values: Float32Array,
  into: readonly (Float32Array | null)[][],
): void {
  const starts = startsOf(microbatch);
  forEachAsked(microbatch, ({ sequence, token }, k) => {
    const ids = microbatch.candidateTokenIds?.[k] ?? null;
    if (ids === null) return;
    const from = starts[k] as number;
    (into[sequence] as (Float32Array | null)[])[token] = values.slice(from, from + ids.length);
  });
}

/** `[Q]` sum of the derivatives of each candidate over all tokens that ask for it. */
export function candidateFactors(
  microbatch: Microbatch,
  derivatives: CandidateRows | undefined,
): Float32Array {
  const starts = startsOf(microbatch);
  const factors = new Float32Array(starts.at(-1) ?? 0);
  forEachAsked(microbatch, ({ sequence, token }, k) => {
    const own = derivatives?.[sequence]?.[token] ?? null;
    own?.forEach((value, i) => {
      const place = (starts[k] as number) + i;
      factors[place] = (factors[place] as number) + value;
    });
  });
  return factors;
}

/** `[P + 1]` start of each row's candidates in the list, then their number. */
function startsOf({ candidateTokenIds, targets }: Microbatch): number[] {
  const starts = [0];
  for (let k = 0; k < targets.length; k++) {
    starts.push((starts[k] as number) + (candidateTokenIds?.[k]?.length ?? 0));
  }
  return starts;
}

/** Output of a batch before anything was computed; `null` if no row asks for candidates. */
export function emptyCandidates(
  sequences: readonly {
    readonly tokenIds: readonly number[];
    readonly candidateTokenIds?: unknown;
  }[],
): NonNullable<TokenOutputs["candidateLogProbs"]>[number][number][][] | null {
  if (sequences.every(({ candidateTokenIds }) => candidateTokenIds === undefined)) return null;
  return sequences.map(({ tokenIds }) => tokenIds.map(() => null));
}

/** Whether a candidate of this token has a derivative. */
export function hasCandidateDerivative(
  derivatives: TokenDerivatives["candidateLogProbs"],
  sequence: number,
  token: number,
): boolean {
  return (derivatives?.[sequence]?.[token] ?? null) !== null;
}
