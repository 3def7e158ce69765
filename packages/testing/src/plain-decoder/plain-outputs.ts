/**
 * The outputs of the TrainEngine port for one sequence in plain float64 loops: what an engine must
 * agree with, and what central differences are taken of. The decoder is `PlainDecoder`, which is
 * checked against PyTorch and shares no computation with any graph; one of them reads each path of
 * a tree from its root, so that what is shared is computed again. Slow on purpose: for tiny decoders.
 */
import { PlainDecoder } from "@waggle/model";
import type { DecoderConfig } from "@waggle/model";
import type { TensorMap, TrainSequence } from "@waggle/protocol";

/** As `TokenOutputs` of one sequence: `[T]` each, entries of a first token 0. */
export type PlainOutputs = {
  readonly logProb: readonly number[];
  readonly rawLogProb: readonly number[];
  readonly entropy: readonly number[];
  readonly sumSquaredProb: readonly number[];
  /** `[K]` where the sequence asks for candidates; null elsewhere and for first tokens. */
  readonly candidateLogProbs: readonly (readonly number[] | null)[];
};

/**
 * @param weights as they are trained: an adapter is merged before, by `mergeAdapter`.
 * @param sequence any; a taken token outside of its kept set has log-prob −∞.
 * @throws WaggleError as `PlainDecoder`.
 */
export function plainOutputs(
  config: DecoderConfig,
  weights: TensorMap,
  sequence: TrainSequence,
): PlainOutputs {
  const { tokenIds, keptTokenIds, candidateTokenIds } = sequence;
  const parents = sequence.parents ?? tokenIds.map((_, token) => token - 1);
  const logits = logitsByToken(config, weights, sequence, parents);
  const outputs = {
    logProb: zeros(tokenIds),
    rawLogProb: zeros(tokenIds),
    entropy: zeros(tokenIds),
    sumSquaredProb: zeros(tokenIds),
    candidateLogProbs: tokenIds.map((): readonly number[] | null => null),
  };
  tokenIds.forEach((taken, token) => {
    const row = logits[parents[token] as number];
    if (row === undefined) return;
    const raw = logSoftmax(row);
    const kept = keptTokenIds?.[token] ?? null;
    const temperature = temperatureOf(sequence, token);
    const logProbs = logSoftmax(
      row.map((z, id) => (kept === null || kept.includes(id) ? z / temperature : -Infinity)),
    );
    const finite = logProbs.filter((value) => value !== -Infinity);
    outputs.logProb[token] = logProbs[taken] as number;
    outputs.rawLogProb[token] = raw[taken] as number;
    outputs.entropy[token] = -sum(finite.map((value) => Math.exp(value) * value));
    outputs.sumSquaredProb[token] = sum(finite.map((value) => Math.exp(2 * value)));
    const candidates = candidateTokenIds?.[token] ?? null;
    outputs.candidateLogProbs[token] = candidates && candidates.map((id) => raw[id] as number);
  });
  return outputs;
}

/** `[T]` of `[V]`: the logits of what follows each token. */
function logitsByToken(
  config: DecoderConfig,
  weights: TensorMap,
  { tokenIds, positions }: TrainSequence,
  parents: readonly number[],
): Float64Array[] {
  const logits: Float64Array[] = [];
  const inner = new Set(parents);
  for (const leaf of tokenIds.keys()) {
    if (inner.has(leaf)) continue;
    const path: number[] = [];
    for (let token = leaf; token >= 0; token = parents[token] as number) path.unshift(token);
    const decoder = new PlainDecoder(config, weights);
    for (const token of path) {
      const hidden = decoder.readHidden(tokenIds[token] as number, positions?.[token]);
      logits[token] ??= decoder.logits(hidden);
    }
  }
  return logits;
}

function temperatureOf({ temperatures = 1 }: TrainSequence, token: number): number {
  return typeof temperatures === "number" ? temperatures : (temperatures[token] as number);
}

function zeros(tokenIds: readonly number[]): number[] {
  return tokenIds.map(() => 0);
}

function logSoftmax(x: Float64Array): Float64Array {
  const largest = x.reduce((a, b) => Math.max(a, b), -Infinity);
  const normalizer = largest + Math.log(sum(x.map((value) => Math.exp(value - largest))));
  return x.map((value) => value - normalizer);
}

function sum(x: Float64Array): number {
  return x.reduce((total, value) => total + value, 0);
}
