/**
 * The outputs of the TrainEngine port for one sequence in plain float64 loops: what an engine must
 * agree with, and what central differences are taken of. The decoder is `PlainDecoder`, which is
 * checked against PyTorch and shares no computation with any graph; one of them reads each path of
 * a tree from its root, so that what is shared is computed again. Slow on purpose: for tiny decoders.
 */
import { PlainDecoder, VALUE_HEAD } from "@waggle/model";
import type { DecoderConfig, ValueHead } from "@waggle/model";
import type { TensorMap, TrainSequence } from "@waggle/protocol";

/** As `TokenOutputs` of one sequence: `[T]` each, entries of a first token 0. */
export type PlainOutputs = {
  readonly logProb: readonly number[];
  readonly rawLogProb: readonly number[];
  readonly entropy: readonly number[];
  readonly sumSquaredProb: readonly number[];
  /** `[K]` where the sequence asks for candidates; null elsewhere and for first tokens. */
  readonly candidateLogProbs: readonly (readonly number[] | null)[];
  /** `[T·H]`, token by token; empty without heads. */
  readonly values: readonly number[];
};

/**
 * @param weights as they are trained: an adapter is merged before, by `mergeAdapter`.
 * @param valueHead heads on the final hidden states.
 * @param sequence any; a taken token outside of its kept set has log-prob −∞.
 * @throws WaggleError as `PlainDecoder`.
 */
export function plainOutputs(
  config: DecoderConfig,
  weights: TensorMap,
  sequence: TrainSequence,
  valueHead: ValueHead | null = null,
): PlainOutputs {
  const { tokenIds, keptTokenIds, candidateTokenIds } = sequence;
  const parents = sequence.parents ?? tokenIds.map((_, token) => token - 1);
  const states = statesByToken(config, weights, sequence, parents);
  const outputs = {
    logProb: zeros(tokenIds),
    rawLogProb: zeros(tokenIds),
    entropy: zeros(tokenIds),
    sumSquaredProb: zeros(tokenIds),
    candidateLogProbs: tokenIds.map((): readonly number[] | null => null),
    values: states.flatMap(({ hidden }) => (valueHead ? valuesOf(hidden, valueHead) : [])),
  };
  tokenIds.forEach((taken, token) => {
    const row = states[parents[token] as number]?.logits;
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

/** After each token: final hidden state `[C]`, and the logits `[V]` of what follows. */
type PlainState = { readonly hidden: Float64Array; readonly logits: Float64Array };

function statesByToken(
  config: DecoderConfig,
  weights: TensorMap,
  { tokenIds, positions }: TrainSequence,
  parents: readonly number[],
): PlainState[] {
  const states: PlainState[] = [];
  const inner = new Set(parents);
  for (const leaf of tokenIds.keys()) {
    if (inner.has(leaf)) continue;
    const path: number[] = [];
    for (let token = leaf; token >= 0; token = parents[token] as number) path.unshift(token);
    const decoder = new PlainDecoder(config, weights);
    for (const token of path) {
      const hidden = decoder.readHidden(tokenIds[token] as number, positions?.[token]);
      states[token] ??= { hidden, logits: decoder.logits(hidden) };
    }
  }
  return states;
}

/** `[H]` */
function valuesOf(hidden: Float64Array, { heads, tensors }: ValueHead): number[] {
  const weight = tensors.get(VALUE_HEAD.weight)?.data ?? [];
  const bias = tensors.get(VALUE_HEAD.bias)?.data ?? [];
  return Array.from({ length: heads }, (_, head) =>
    hidden.reduce(
      (total, value, c) => total + value * (weight[head * hidden.length + c] as number),
      bias[head] as number,
    ),
  );
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
