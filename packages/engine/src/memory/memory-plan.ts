/**
 * What training will take of memory, before anything is loaded: bytes by part, from sizes alone. An
 * estimate of the peak of the whole process on the CPU; docs/evidence/appendix/engine.md compares it with what
 * was measured.
 */
import { decoderParameters, layerLinears, loraParameters } from "@waggle/model";
import type { DecoderConfig, ResidentFormat } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";

/** `none`: all activations are kept. `layer`: the input of each layer is, the rest comes again. */
export type Checkpointing = "layer" | "none";

/** Of the products of linears and logits; everything else is in float32. */
export type Precision = "f32" | "f16";

/** Of one adapter over a base. */
export type PlannedModel = { readonly rank: number; readonly valueHeads?: number };

export type MemoryPlanOptions = {
  readonly config: DecoderConfig;
  readonly trains: "lora" | "full";
  /** Of the adapter, with `lora`. */
  readonly rank: number;
  /** Default 0. */
  readonly valueHeads?: number;
  /** Adapters that are trained over the same base beside this one; default none. */
  readonly otherModels?: readonly PlannedModel[];
  /** Sequences and tokens of each that one call trains on; a tree counts as one of all its tokens. */
  readonly sequences: number;
  readonly length: number;
  readonly base: ResidentFormat;
  /** Of the products of linears and logits, default `f32`. */
  readonly precision?: Precision;
  readonly checkpointing: Checkpointing;
  /** Default: the engine's own bound of 1024 tokens. */
  readonly maxMicrobatchTokens?: number;
};

export type MemoryPlan = {
  /** In bytes. */
  readonly parts: {
    /** Weights as they stay in memory. */
    readonly base: number;
    /**
     * Of matrices as products take them: merged with an adapter, their gradients (`none` with `lora`), and
     * in f16.
     */
    readonly effective: number;
    /** What is trained beside the base, two moments and the gradients. */
    readonly trained: number;
    /** Of one microbatch. */
    readonly activations: number;
    /** Logits, whole or one tile. */
    readonly head: number;
    /** Node, onnxruntime, and what its arenas hold in reserve. */
    readonly runtime: number;
  };
  readonly totalBytes: number;
  /** The largest that is run: sequences and tokens of each. */
  readonly microbatch: { readonly sequences: number; readonly length: number };
  readonly options: MemoryPlanOptions;
};

const FLOAT = 4;
/** Values, a float32 scale and a zero point's byte per block of 32. */
const BYTES_PER_WEIGHT = { f32: FLOAT, f16: 2, int8: 1 + 5 / 32, int4: 0.5 + 5 / 32 } as const;
/** What a float32 number costs as an f16 operand: its bits and, on a processor, the number they stand for. */
const HALF_COPY = 2 + FLOAT;
const TILE_LOGITS = 2 ** 21;
/** Arrays of a tile's or the logits' size that exist at once. */
const LOGIT_COPIES = 5;
const PROCESS_BYTES = 200e6;

/** Only plain arithmetic: may be called for models of any size. */
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
    // the merged copy, its making, and every model's sum of gradients
    effective:
      (isWhole && isLora ? (2 + models.length) * linears * FLOAT : 0) +
      (options.precision === "f16" ? halfBytes(options, tokens) : 0),
    // parameters (of `full` they are the base), two moments, gradients, those of one run
    trained: (trained * (isLora ? 4 : 3 + (isWhole ? 1 : 0)) + 4 * heads) * FLOAT,
    // for values, final hidden states and their gradient are read and given beside the graph
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

/** Of all weights as they stay in memory. */
export function baseBytes(config: DecoderConfig, base: ResidentFormat): number {
  const linears = linearWeights(config) * config.layers;
  const matrices = embeddingWeights(config);
  const small = count(decoderParameters(config)) - linears - matrices;
  const embedded = base === "int4" ? "int8" : base;
  return linears * BYTES_PER_WEIGHT[base] + matrices * BYTES_PER_WEIGHT[embedded] + small * FLOAT;
}

/** What products in f16 take beside: matrices, operands that gradients of matrices need, logits. */
function halfBytes({ config, base, checkpointing }: MemoryPlanOptions, tokens: number): number {
  const { width, feedForwardSize, heads, headSize, layers, vocabularySize } = config;
  if (checkpointing === "none") {
    const matrices = linearWeights(config) * layers + vocabularySize * width;
    const operands = 2 * layers * (2 * width + heads * headSize + feedForwardSize);
    return matrices * HALF_COPY + tokens * (operands + FLOAT * vocabularySize);
  }
  // in other formats numbers are made layer by layer anyway
  const layer = base === "f32" ? linearWeights(config) : 0;
  const tile = (TILE_LOGITS / Math.min(tokens, 512)) * width;
  return (layer + Math.min(tile, vocabularySize * width)) * HALF_COPY + TILE_LOGITS * FLOAT;
}

/** Of the backward pass of one microbatch, logits included where they are whole. */
export function activationBytesPerToken(
  config: DecoderConfig,
  checkpointing: Checkpointing,
  length: number,
): number {
  const { width, feedForwardSize, heads, headSize, keyValueHeads, layers } = config;
  const isWhole = checkpointing === "none";
  // weights, and while one layer is worked on their gradients and what those come from
  const scores = (isWhole ? 3 : 5) * heads * length;
  const attention = (4 * heads + 4 * keyValueHeads) * headSize + scores;
  const layer = FLOAT * (10 * width + attention + 8 * feedForwardSize);
  // who sees whom: packed rows have a mask each, which all layers share
  const mask = FLOAT * length;
  return isWhole
    ? layers * layer + mask + logitBytesPerToken(config)
    : layer + mask + FLOAT * width * (layers + 6);
}

/** `auto`: the whole graph where its activations keep within 1 GB and its plan within the limit. */
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

/** What whoever hears a refusal can set, beside the base's format, the rank and the model. */
export type Settable = {
  readonly checkpointing: boolean;
  readonly maxMicrobatchTokens: boolean;
  /** Whether they are those that are to be trained on, not an assumption. */
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
    `training must fit into ${megabytes(limit)}, got a plan of ${megabytes(plan.totalBytes)} for ${sequences} × ${length} tokens at once, most of it ${largest?.[0]} (${megabytes(largest?.[1] ?? 0)}); ${advice(plan, settable)}`,
  );
}

/** In words that hold for options of an engine and of the command line. */
function advice({ options, microbatch }: MemoryPlan, settable: Settable): string {
  const { trains, base, checkpointing } = options;
  const [isLora, isWhole] = [trains === "lora", checkpointing === "none"];
  const isSeveral = microbatch.sequences > 1;
  const steps = [
    ...(isLora ? [] : ["train an adapter in place of all weights"]),
    ...(isWhole && settable.checkpointing ? ['set checkpointing to "layer"'] : []),
    ...(isLora && base !== "int4"
      ? [`keep the base in ${base === "int8" ? "int4" : "int8 or int4"}`]
      : []),
    ...(settable.sequences ? ["shorten the sequences"] : []),
    ...(settable.sequences && isSeveral ? ["take fewer of them at a time"] : []),
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
