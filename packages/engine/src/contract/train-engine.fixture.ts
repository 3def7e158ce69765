/** Shared by the parts of the TrainEngine contract: tiny decoders, batches, comparisons. Tests only. */
import { initializeAdapter, initializeDecoder, initializeValueHead } from "@waggle/model";
import type { Adapter, DecoderConfig, ValueHead } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import type {
  Tensor,
  TensorMap,
  TokenDerivatives,
  TrainEngine,
  TrainSequence,
} from "@waggle/protocol";
import { toBeAllClose, TOLERANCE } from "@waggle/testing";
import type { Tolerance } from "@waggle/testing";
import { plainOutputs } from "@waggle/testing/plain-decoder";

export type ContractEngineOptions = {
  readonly config: DecoderConfig;
  readonly weights: TensorMap;
  readonly trains: "lora" | "full";
  readonly adapter?: Adapter;
  readonly valueHead?: ValueHead;
  readonly maxMicrobatchTokens?: number;
};

/** Error that an engine's number format may introduce. */
export type Budget = {
  /** Outputs, against PyTorch and the plain twin. */
  readonly outputs: Tolerance;
  /** Outputs, against the same tokens in another arrangement. */
  readonly arranged: Tolerance;
  /** Every entry of a gradient, relative to the largest of its tensor. */
  readonly gradients: number;
  /** A tensor's gradient against PyTorch's: relative norm of the difference. */
  readonly norm: number;
  /** The same, against the same tokens in another arrangement. */
  readonly arrangedNorm: number;
  /** A tensor's largest gradient entry, against central differences (including their step error). */
  readonly difference: number;
};

export const F32_BUDGET: Budget = {
  outputs: TOLERANCE.f32Reduction,
  arranged: { relative: 1e-5, absolute: 1e-5 },
  gradients: 2e-4,
  norm: 1e-4,
  arrangedNorm: 1e-4,
  difference: 1e-3,
};

/** One test of the contract. */
export type ContractCase = {
  readonly title: string;
  /** `engineOf` creates an engine that is disposed of when the test ends. */
  readonly body: (
    engineOf: (options: ContractEngineOptions) => Promise<TrainEngine>,
    budget: Budget,
  ) => Promise<void>;
};

/** Adds one test to a list of them. */
export type AddCase = (title: string, body: ContractCase["body"]) => void;

/** The tests that `addAll` adds, in order. */
export function contractCases(addAll: (add: AddCase) => void): ContractCase[] {
  const cases: ContractCase[] = [];
  addAll((title, body) => cases.push({ title, body }));
  return cases;
}

/** An engine on loud weights, and what it was created with. `lora` starts from a loud adapter. */
export async function loudEngine(
  engineOf: (options: ContractEngineOptions) => Promise<TrainEngine>,
  config: DecoderConfig,
  trains: "full" | "lora",
): Promise<{
  readonly engine: TrainEngine;
  readonly weights: TensorMap;
  readonly adapter: Adapter;
}> {
  const weights = loudWeights(config);
  const adapter = loudAdapter(config);
  const start = trains === "lora" ? { adapter } : {};
  return { engine: await engineOf({ config, weights, trains, ...start }), weights, adapter };
}

export const OUTPUTS = ["logProb", "rawLogProb", "entropy", "sumSquaredProb"] as const;
export const DERIVATIVES = ["logProb", "rawLogProb", "entropy"] as const;

export const TINY: DecoderConfig = {
  modelType: "qwen3",
  vocabularySize: 29,
  width: 24,
  layers: 2,
  heads: 4,
  keyValueHeads: 2,
  headSize: 8,
  feedForwardSize: 20,
  ropeTheta: 1000,
  rmsNormEpsilon: 1e-6,
  tiedEmbeddings: true,
  contextLength: 64,
  ropeScaling: null,
};
export const TINY_LLAMA: DecoderConfig = {
  ...TINY,
  modelType: "llama",
  tiedEmbeddings: false,
  keyValueHeads: 4,
  layers: 1,
};

/** Has biases on queries, keys and values. */
export const TINY_QWEN2: DecoderConfig = { ...TINY, modelType: "qwen2", layers: 1 };
/** The second layer has no rotary embedding. */
export const TINY_SMOLLM3: DecoderConfig = {
  ...TINY,
  modelType: "smollm3",
  layerKinds: ["attention", "unrotated"],
};

/** Weights large enough that every part affects outputs and gradients. */
export function loudWeights(config: DecoderConfig): TensorMap {
  return scaled(initializeDecoder(config, 11), 12);
}

/** An adapter whose B is not zero, so that both matrices have gradients. */
export function loudAdapter(config: DecoderConfig): Adapter {
  const adapter = initializeAdapter(config, { rank: 3, alpha: 6, seed: 12 });
  const random = pseudoRandom(13);
  for (const [key, { data }] of adapter.tensors) {
    if (key.includes("lora_B")) data.forEach((_, i) => (data[i] = 0.3 * random()));
  }
  return adapter;
}

/** Two heads with biases. */
export function loudValueHead(config: DecoderConfig): ValueHead {
  const head = initializeValueHead(config, { heads: 2, seed: 21 });
  const random = pseudoRandom(22);
  for (const { data } of head.tensors.values()) data.forEach((_, i) => (data[i] = random()));
  return head;
}

function scaled(weights: TensorMap, factor: number): TensorMap {
  const random = pseudoRandom(17);
  return new Map(
    Array.from(weights, ([key, { shape, data }]): [string, Tensor] => [
      key,
      { shape, data: data.map((value) => (shape.length > 1 ? value * factor : 1 + random() / 3)) },
    ]),
  );
}

/** Sequences of different lengths, temperatures and kept sets in one batch. */
export function variedSequences({ vocabularySize }: DecoderConfig): TrainSequence[] {
  const random = pseudoRandom(19);
  const ids = (length: number): number[] =>
    Array.from({ length }, () => Math.floor(((random() + 1) / 2) * vocabularySize));
  const kept = ids(9);
  return [
    { tokenIds: ids(11) },
    { tokenIds: ids(5), temperatures: 0.7 },
    {
      tokenIds: kept,
      temperatures: kept.map((_, token) => 0.6 + token / 10),
      keptTokenIds: kept.map((id, token) => (token % 2 ? [...new Set([id, 0, 3, token])] : null)),
    },
  ];
}

/**
 * Two trees (one with a second root, one with explicit positions) and plain sequences, two of which
 * share a prefix: every case in which sequences share a row.
 */
export function branchedSequences({ vocabularySize }: DecoderConfig): TrainSequence[] {
  const random = pseudoRandom(23);
  const ids = (length: number): number[] =>
    Array.from({ length }, () => Math.floor(((random() + 1) / 2) * vocabularySize));
  const beginning = ids(8);
  const tree = ids(17);
  // two tokens with the same id and parent, at different temperatures
  tree[9] = tree[8] as number;
  return [
    {
      tokenIds: tree,
      parents: [-1, 0, 1, 2, 3, 4, 3, 6, 7, 7, 9, 2, 11, -1, 13, 14, 13],
      temperatures: tree.map((_, token) => 0.6 + token / 20),
      keptTokenIds: tree.map((id, token) => (token % 3 ? null : [...new Set([id, 0, 3, token])])),
    },
    {
      tokenIds: ids(6),
      parents: [-1, 0, 1, 1, 0, 4],
      positions: [3, 4, 5, 5, 9, 12],
    },
    { tokenIds: [...beginning, 5, 6, 7] },
    {
      tokenIds: [...beginning, 5, 9, 2, 1],
      temperatures: [...Array<number>(9).fill(1), 0.7, 2, 1],
    },
    { tokenIds: ids(3) },
  ];
}

/** The sequences without members that the engine does not support. */
export function servedSequences(
  engine: TrainEngine,
  sequences: readonly TrainSequence[],
): TrainSequence[] {
  const { sequences: served } = engine.capabilities();
  return sequences.map(({ tokenIds, temperatures, keptTokenIds, parents, positions }) => ({
    tokenIds,
    ...(served.includes("parents") && parents !== undefined ? { parents } : {}),
    ...(served.includes("positions") && positions !== undefined ? { positions } : {}),
    ...(served.includes("temperatures") && temperatures !== undefined ? { temperatures } : {}),
    ...(served.includes("keptTokenIds") && keptTokenIds !== undefined ? { keptTokenIds } : {}),
  }));
}

/** The per-token outputs that the engine supports. */
export function servedOutputs(engine: TrainEngine): (typeof OUTPUTS)[number][] {
  return OUTPUTS.filter((output) => engine.capabilities().outputs.includes(output));
}

/** The derivatives that the engine takes. */
export function servedDerivatives(
  engine: TrainEngine,
  derivatives: TokenDerivatives,
): TokenDerivatives {
  const served: readonly string[] = engine.capabilities().derivatives;
  return Object.fromEntries(Object.entries(derivatives).filter(([name]) => served.includes(name)));
}

export function randomDerivatives(
  sequences: readonly TrainSequence[],
  seed: number,
): Float32Array[] {
  const random = pseudoRandom(seed);
  return sequences.map(({ tokenIds }) => Float32Array.from(tokenIds, random));
}

/** Uniform in (−1, 1); a linear congruential generator is enough here. */
function pseudoRandom(seed: number): () => number {
  let state = seed * 7919 + 1;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  };
}

export function weightedSum(
  config: DecoderConfig,
  weights: TensorMap,
  sequences: readonly TrainSequence[],
  derivatives: TokenDerivatives,
): number {
  let total = 0;
  for (const [index, sequence] of sequences.entries()) {
    const outputs = plainOutputs(config, weights, sequence);
    for (const name of DERIVATIVES) {
      derivatives[name]?.[index]?.forEach((factor, token) => {
        if (token > 0) total += factor * (outputs[name][token] as number);
      });
    }
  }
  return total;
}

/** Restores `data` afterwards. Divides by the step that f32 really took. */
export function centralDifference(data: Float32Array, index: number, value: () => number): number {
  const kept = data[index] as number;
  const at = (step: number): { readonly x: number; readonly y: number } => {
    data[index] = kept + step;
    return { x: data[index] as number, y: value() };
  };
  const [left, right] = [at(-1e-3), at(1e-3)];
  data[index] = kept;
  return (right.y - left.y) / (right.x - left.x);
}

/** Describes differences between two sets of gradients. An all-zero expectation counts as one. */
export function gradientErrors(
  actual: TensorMap,
  expected: TensorMap,
  tolerance: number = F32_BUDGET.gradients,
): string[] {
  return [...expected].flatMap(([key, { data }]) => {
    const largest = Math.max(...data.map(Math.abs));
    if (largest === 0) return [`${key}: nothing to compare with`];
    const absolute = tolerance * largest;
    const result = toBeAllClose(actual.get(key)?.data ?? [], data, { relative: 0, absolute });
    return result.pass ? [] : [`${key}: ${result.message()}`];
  });
}

/** Non-zero tensors by name without layer number: a partial reference has one of each kind. */
export function kindsOf(tensors: TensorMap): Set<string> {
  const nonzero = [...tensors].filter(([, { data }]) => data.some((value) => value !== 0));
  return new Set(nonzero.map(([name]) => name.replace(/\.\d+\./, ".")));
}

/** The largest ‖a − b‖ / ‖b‖ over all tensors; infinite where one is zero or missing. */
export function largestNormError(actual: TensorMap, expected: TensorMap): number {
  const errors = Array.from(expected, ([key, { data }]) => {
    const other = actual.get(key)?.data ?? new Float32Array();
    const gap = Math.hypot(...data.map((value, i) => value - (other[i] ?? Number.NaN)));
    const norm = Math.hypot(...data);
    return norm > 0 && Number.isFinite(gap) ? gap / norm : Infinity;
  });
  return Math.max(...errors);
}

export function largestEntry(tensors: TensorMap): number {
  return Math.max(...[...tensors.values()].map(({ data }) => Math.max(...data.map(Math.abs))));
}

/** The code of the WaggleError that `promise` rejects with; otherwise its result or other error. */
export async function codeOf(promise: Promise<unknown>): Promise<unknown> {
  const error: unknown = await promise.then(
    (value) => value,
    (reason: unknown) => reason,
  );
  return WaggleError.is(error) ? error.code : error;
}
