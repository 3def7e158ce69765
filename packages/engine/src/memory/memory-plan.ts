/**
 * Plans the memory that training will take, by part and from sizes alone, before anything is
 * loaded. It estimates the peak of the whole process on the CPU; docs/evidence/appendix/engine.md
 * compares it with measurements.
 */
import { decoderParameters, layerLinears, loraParameters } from "@waggle/model";
import type { DecoderConfig, ResidentFormat } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";

/**
 * `none`: all activations are kept. `layer`: only the input of each layer is, the rest is
 * recomputed.
 */
export type Checkpointing = "layer" | "none";

/** Precision of the products of linears and logits; everything else is float32. */
export type Precision = "f32" | "f16";

/** One adapter over a base, with its value heads. */
export type PlannedModel = { readonly rank: number; readonly valueHeads?: number };

/** Sizes and settings of a training run. */
export type MemoryPlanOptions = {
  readonly config: DecoderConfig;
  readonly trains: "lora" | "full";
  /** Rank of the adapter, with `lora`. */
  readonly rank: number;
  /** Default 0. */
  readonly valueHeads?: number;
  /** Further adapters trained over the same base. Default: none. */
  readonly otherModels?: readonly PlannedModel[];
  /** Sequences of one call, and tokens of each. A tree counts as one sequence of all its tokens. */
  readonly sequences: number;
  readonly length: number;
  readonly base: ResidentFormat;
  /** Precision of the products of linears and logits. Default `f32`. */
  readonly precision?: Precision;
  readonly checkpointing: Checkpointing;
  /** Default: the engine's limit of 1024 tokens. */
  readonly maxMicrobatchTokens?: number;
};

/** Estimated memory by part. */
export type MemoryPlan = {
  /** In bytes. */
  readonly parts: {
    /** Weights as stored in memory. */
    readonly base: number;
    /**
     * Copies of matrices for products: merged with an adapter (`lora` with checkpointing `none`) with
     * their gradients, and in f16.
     */
    readonly effective: number;
    /** Trained parameters that are not the base, two moments and the gradients. */
    readonly trained: number;
    /** Activations of one microbatch. */
    readonly activations: number;
    /** Logits, whole or one tile. */
    readonly head: number;
    /** Node, onnxruntime, and memory that its arenas reserve. */
    readonly runtime: number;
  };
  readonly totalBytes: number;
  /** The largest microbatch: sequences and tokens of each. */
  readonly microbatch: { readonly sequences: number; readonly length: number };
  readonly options: MemoryPlanOptions;
};

const FLOAT = 4;
/** Numbers, plus a float32 scale and a zero point of one byte per block of 32. */
const BYTES_PER_WEIGHT = { f32: FLOAT, f16: 2, int8: 1 + 5 / 32, int4: 0.5 + 5 / 32 } as const;
/** Bytes of a float32 number as an f16 operand: its f16 copy and, on a CPU, that converted to f32. */
const HALF_COPY = 2 + FLOAT;
const TILE_LOGITS = 2 ** 21;
/** Arrays of a tile's (or all logits') size that exist at once. */
const LOGIT_COPIES = 5;
const PROCESS_BYTES = 200e6;

/** Plans without loading anything, for models of any size. */
export function planMemory(options: MemoryPlanOptions): MemoryPlan {
  const { config, trains, base, checkpointing, sequences, length } = options;
  const { maxMicrobatchTokens = 1024 } = options;
  const isLora = trains === "lora";
  const rows = Math.min(sequences, Math.max(1, Math.floor(maxMicrobatchTokens / length)));
  const tokens = rows * length;
  const linears = linearWeights(config) * config.layers;
  const models: readonly PlannedModel[] = [options, ...(options.otherModels ?? [])];
  const heads = models.reduce(
    (sum, { valueHeads = 0 }) => sum + valueHeads * (config.width + 1),
    0,
  );
  const trained = isLora
    ? models.reduce((sum, model) => sum + count(loraParameters(config, model.rank)), 0)
    : count(decoderParameters(config));
  const perToken = activationBytesPerToken(config, checkpointing, length);
  const isWhole = checkpointing === "none";
  const parts = {
    base: baseBytes(config, base),
    // the merged copy, the buffer for merging, and every model's sum of gradients
    effective:
      (isWhole && isLora ? (2 + models.length) * linears * FLOAT : 0) +
      (options.precision === "f16" ? halfBytes(options, tokens) : 0),
    // parameters (`full`: they are the base), two moments, gradients, gradients of the current run
    trained: (trained * (isLora ? 4 : 3 + (isWhole ? 1 : 0)) + 4 * heads) * FLOAT,
    // value heads read the final hidden states and return their gradient outside the graph
    activations:
      tokens *
      (perToken -
        (isWhole ? logitBytesPerToken(config) : 0) +
        (heads > 0 ? 2 * FLOAT * config.width : 0)),
    head: isWhole ? tokens * logitBytesPerToken(config) : TILE_LOGITS * FLOAT * LOGIT_COPIES,
    runtime: PROCESS_BYTES + (base === "f32" || isWhole ? 0 : 2 * linearWeights(config) * FLOAT),
  };
  const totalBytes = Object.values(parts).reduce((sum, bytes) => sum + bytes, 0);
  return { parts, totalBytes, microbatch: { sequences: rows, length }, options };
}

/** Bytes of all weights as stored in memory. */
export function baseBytes(config: DecoderConfig, base: ResidentFormat): number {
  const linears = linearWeights(config) * config.layers;
  const matrices = embeddingWeights(config);
  const small = count(decoderParameters(config)) - linears - matrices;
  const embedded = base === "int4" ? "int8" : base;
  return linears * BYTES_PER_WEIGHT[base] + matrices * BYTES_PER_WEIGHT[embedded] + small * FLOAT;
}

/** Additional bytes of f16 products: matrices, operands for gradients of matrices, logits. */
function halfBytes({ config, base, checkpointing }: MemoryPlanOptions, tokens: number): number {
  const { width, feedForwardSize, heads, headSize, layers, vocabularySize } = config;
  if (checkpointing === "none") {
    const matrices = linearWeights(config) * layers + vocabularySize * width;
    const operands = 2 * layers * (2 * width + heads * headSize + feedForwardSize);
    return matrices * HALF_COPY + tokens * (operands + FLOAT * vocabularySize);
  }
  // other formats are converted layer by layer anyway
  const layer = base === "f32" ? linearWeights(config) : 0;
  const tile = (TILE_LOGITS / Math.min(tokens, 512)) * width;
  return (layer + Math.min(tile, vocabularySize * width)) * HALF_COPY + TILE_LOGITS * FLOAT;
}

/** Bytes per token of one microbatch's backward pass, including logits if they are whole. */
export function activationBytesPerToken(
  config: DecoderConfig,
  checkpointing: Checkpointing,
  length: number,
): number {
  const { width, feedForwardSize, heads, headSize, keyValueHeads, layers } = config;
  const isWhole = checkpointing === "none";
  // attention weights, and for the layer being differentiated also gradients and their operands
  const scores = (isWhole ? 3 : 5) * heads * length;
  const attention = (4 * heads + 4 * keyValueHeads) * headSize + scores;
  const layer = FLOAT * (10 * width + attention + 8 * feedForwardSize);
  // packed rows have a mask each, which all layers share
  const mask = FLOAT * length;
  return isWhole
    ? layers * layer + mask + logitBytesPerToken(config)
    : layer + mask + FLOAT * width * (layers + 6);
}

/** `auto`: one graph if its activations fit into 1 GB and its plan into the limit. */
export function chooseCheckpointing(
  asked: Checkpointing | "auto",
  options: Pick<
    MemoryPlanOptions,
    "config" | "trains" | "rank" | "valueHeads" | "base" | "precision"
  > & {
    readonly memoryLimit?: number | undefined;
  },
): Checkpointing {
  if (asked !== "auto") return asked;
  const { config, base, memoryLimit = Infinity } = options;
  if (base !== "f32") return "layer";
  const length = Math.min(config.contextLength, 512);
  if (length * activationBytesPerToken(config, "none", length) > 1e9) return "layer";
  const plan = planMemory({ ...options, sequences: 1, length, checkpointing: "none" });
  return plan.totalBytes > memoryLimit ? "layer" : "none";
}

/** What the caller can change, besides the base's format, the rank and the model. */
export type Settable = {
  readonly checkpointing: boolean;
  readonly maxMicrobatchTokens: boolean;
  /** Whether the sequences are the ones to be trained on, not an assumption. */
  readonly sequences: boolean;
};

/**
 * @param limit in bytes.
 * @throws WaggleError `OUT_OF_MEMORY` naming the largest part and what to lower.
 */
export function checkMemory(plan: MemoryPlan, limit: number, settable: Settable): void {
  if (plan.totalBytes <= limit) return;
  const { sequences, length } = plan.microbatch;
  const [largest] = Object.entries(plan.parts).toSorted(([, a], [, b]) => b - a);
  throw new WaggleError(
    "OUT_OF_MEMORY",
    `training would take ${megabytes(plan.totalBytes)} for ${sequences} × ${length} tokens at once, the limit is ${megabytes(limit)}; the largest part is ${largest?.[0]} (${megabytes(largest?.[1] ?? 0)}); ${advice(plan, settable)}`,
  );
}

/** Worded so that it fits both an engine's options and the command line's. */
function advice({ options, microbatch }: MemoryPlan, settable: Settable): string {
  const { trains, base, checkpointing } = options;
  const [isLora, isWhole] = [trains === "lora", checkpointing === "none"];
  const isSeveral = microbatch.sequences > 1;
  const steps = [
    ...(isLora ? [] : ["train an adapter instead of all weights"]),
    ...(isWhole && settable.checkpointing ? ['set checkpointing to "layer"'] : []),
    ...(isLora && base !== "int4"
      ? [`keep the base in ${base === "int8" ? "int4" : "int8 or int4"}`]
      : []),
    ...(settable.sequences ? ["shorten the sequences"] : []),
    ...(settable.sequences && isSeveral ? ["take fewer sequences at a time"] : []),
    ...(settable.maxMicrobatchTokens && isSeveral ? ["lower maxMicrobatchTokens"] : []),
    ...(isLora ? ["lower the rank"] : []),
    "or choose a smaller model",
  ];
  return steps.join(", ");
}

function logitBytesPerToken({ vocabularySize }: DecoderConfig): number {
  return FLOAT * LOGIT_COPIES * vocabularySize;
}

/** Weights of the linears of one layer. */
function linearWeights(config: DecoderConfig): number {
  return layerLinears(config, 0).reduce(
    (sum, { inputSize, outputSize }) => sum + inputSize * outputSize,
    0,
  );
}

function embeddingWeights({ vocabularySize, width, tiedEmbeddings }: DecoderConfig): number {
  return vocabularySize * width * (tiedEmbeddings ? 1 : 2);
}

function count(parameters: readonly { readonly shape: readonly number[] }[]): number {
  return parameters.reduce((sum, { shape }) => sum + shape.reduce((a, b) => a * b, 1), 0);
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6)} MB`;
}
