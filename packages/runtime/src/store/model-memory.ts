/**
 * Memory that a model takes, computed from its config before anything is loaded: weights in a number format, states of a
 * full context, the largest intermediate results, and what loading leaves on WebAssembly's heap. An estimate: within a
 * few percent for the first two, and within 15 % for the heap.
 */
import { decoderParameters, decoderStates, hasPositions, parameterCount } from "@waggle/model";
import type { DecoderConfig, WeightFormat } from "@waggle/model";
import { maxExpandedBytes } from "../expanded-room.ts";
import { runsOnSimd } from "../backend/simd/simd-models.ts";
import { contextLengthFor, decodeRowsFor, runScoresFor, runTokensFor } from "../limits.ts";
import type { BrowserDevice } from "../worker/messages.ts";

/** How a model will run. */
export type ModelMemoryOptions = {
  readonly dtype: WeightFormat;
  /** Maximum tokens of one context. Default: the model's, at most 8192. */
  readonly contextLength?: number;
  /** Number of contexts in memory at the same time. Default 1. */
  readonly contexts?: number;
  /** Format of keys, values and activations. Default: `f16` if the weights are, otherwise `f32`. */
  readonly activations?: "f32" | "f16";
  /** Tokens of one run. Default: as in the CPU backends. */
  readonly runTokens?: number;
  /** The device's limits. Without them nothing is refused. */
  readonly limits?: MemoryLimits;
};

/** How a model will run on this page's device. */
export type DeviceMemoryOptions = {
  /** As for the policy. */
  readonly device: "auto" | BrowserDevice;
  /** Default: the stored format, `f32` for plain numbers. */
  readonly dtype?: WeightFormat | undefined;
  readonly contextLength?: number | undefined;
};

/** A device's limits for a model. */
export type MemoryLimits = {
  /** Maximum total bytes. */
  readonly totalBytes: number;
  /** Maximum bytes of one matrix. `null`: no separate limit. */
  readonly bufferBytes: number | null;
  /**
   * Maximum bytes of weights as float32 for which quantized ones are expanded when loaded. 0: none
   * are.
   */
  readonly expandedBytes: number;
  /** Whether the model is in WebAssembly's memory. */
  readonly isHeap: boolean;
  /** Whether runs may use several threads: those of small quantized models are then expanded. */
  readonly hasThreads: boolean;
  /** What determines the total, for messages: `WebAssembly's memory`. */
  readonly description: string;
  /** Number formats that the device supports, the most precise first. */
  readonly formats: readonly WeightFormat[];
};

/** In bytes. */
export type ModelMemory = {
  readonly weights: number;
  /** Keys, values and convolution states of all contexts when full. */
  readonly states: number;
  /** Logits and the widest activations of one run. */
  readonly scratch: number;
  /** What else onnxruntime's heap takes, because loading needed it; 0 without one. */
  readonly loading: number;
  readonly total: number;
  /** The largest single matrix. */
  readonly largestBuffer: number;
};

const GIGABYTE = 1024 ** 3;
/** Heap of onnxruntime without a model. */
const RUNTIME_BYTES = 16 * 2 ** 20;
/** Numbers that share a scale. */
const BLOCK_SIZE = 32;
/** WebAssembly addresses 4 GB, part of which goes to onnxruntime's code and allocation gaps. */
const WASM_BYTES = 3.75 * GIGABYTE;
/** The most that browsers report: 8 means 8 or more. */
const DEVICE_MEMORY_CAP = 8;
/** Share of a small device's memory that a page can use before the browser ends it. */
const PAGE_SHARE = 0.6;

/**
 * Memory for running a model of this config, with quantized weights expanded if the limits say so.
 */
export function modelMemory(config: DecoderConfig, options: ModelMemoryOptions): ModelMemory {
  const { contexts = 1 } = options;
  const isSimd = isOnSimd(config, options);
  const dtype = isSimd ? options.dtype : computedFormat(config, options);
  const activations = options.activations ?? (dtype === "f16" ? "f16" : "f32");
  const contextLength = contextLengthFor(config, options.contextLength);
  let weights = 0;
  let largestBuffer = 0;
  for (const { kind, shape } of decoderParameters(config)) {
    const [rows = 1, ...rest] = shape;
    const columns = rest.reduce((product, dim) => product * dim, 1);
    const isMatrix = kind === "linear" || kind === "embedding" || kind === "head";
    const bytes = isMatrix
      ? matrixBytes(rows, columns, dtype, kind === "linear", activations)
      : { all: rows * columns * numberBytes(activations), largest: 0 };
    weights += bytes.all;
    largestBuffer = Math.max(largestBuffer, bytes.largest);
  }
  let states = 0;
  for (const state of decoderStates(config, activations)) {
    const numbers = state.rowShape.reduce<number>(
      (product, dim) => product * (dim === "positions" ? contextLength : dim),
      1,
    );
    const bytes = contexts * numbers * numberBytes(state.dtype);
    states += bytes;
    if (hasPositions(state)) largestBuffer = Math.max(largestBuffer, bytes);
  }
  const scratch = isSimd
    ? simdScratchBytes(config)
    : scratchBytes(config, options, contextLength, activations);
  const used = weights + states + scratch;
  const isHeap = options.limits?.isHeap === true && !isSimd;
  const loading = isHeap ? Math.max(0, heapBytes(weights, states + scratch) - used) : 0;
  return { weights, states, scratch, loading, total: used + loading, largestBuffer };
}

/**
 * Size of WebAssembly's heap. While a model loads, onnxruntime holds its weights, their copies in the layout of its
 * products, and parts of both again. The heap never shrinks. What is free after loading is used by runs, but large
 * buffers do not fit into the gaps between weights. docs/evidence/runtime.md has the measurements.
 *
 * @param others - what runs need.
 */
function heapBytes(weights: number, others: number): number {
  const needed = RUNTIME_BYTES + Math.max(2.5 * weights, 2 * weights + others);
  // It grows by a fifth of its size or 96 MB, whichever is less, so it is larger than what is needed.
  return needed + Math.min(0.07 * needed, 48 * 2 ** 20);
}

/** Whether it runs on this package's kernels, which read weights into place. */
function isOnSimd(config: DecoderConfig, { dtype, limits }: ModelMemoryOptions): boolean {
  if (limits?.isHeap !== true) return false;
  const isExpanded = 4 * parameterCount(config) <= limits.expandedBytes;
  return runsOnSimd(config, dtype, limits.hasThreads && isExpanded);
}

/** `f32` if quantized weights are expanded. */
function computedFormat(
  config: DecoderConfig,
  { dtype, limits }: ModelMemoryOptions,
): WeightFormat {
  if (dtype === "f32" || dtype === "f16" || limits === undefined) return dtype;
  return 4 * parameterCount(config) <= limits.expandedBytes ? "f32" : dtype;
}

/**
 * WebAssembly's limits in this browser.
 * @param deviceMemory - `navigator.deviceMemory` in GB, if the browser has it.
 */
export function wasmLimits(deviceMemory?: number): MemoryLimits {
  const page = pageBytes(deviceMemory);
  const isSmall = page !== null && page < WASM_BYTES;
  return {
    totalBytes: isSmall ? page : WASM_BYTES,
    bufferBytes: null,
    expandedBytes: maxExpandedBytes(deviceMemory ?? Infinity),
    isHeap: true,
    hasThreads: globalThis.crossOriginIsolated === true,
    description: isSmall ? `a page's share of ${deviceMemory} GB` : "WebAssembly's memory",
    formats: ["f32", "int8", "int4"],
  };
}

/**
 * A WebGPU device's limits. It does not report its memory: only the limits of its buffers and the
 * memory of small machines are known.
 *
 * @param adapter - limits of the adapter, and whether it has `shader-f16`.
 */
export function webgpuLimits(
  adapter: {
    readonly maxBufferSize: number;
    readonly maxStorageBufferBindingSize: number;
    readonly hasFloat16: boolean;
  },
  deviceMemory?: number,
): MemoryLimits {
  const page = pageBytes(deviceMemory);
  return {
    totalBytes: page ?? Infinity,
    bufferBytes: Math.min(adapter.maxBufferSize, adapter.maxStorageBufferBindingSize),
    expandedBytes: 0,
    isHeap: false,
    hasThreads: false,
    description: `a page's share of ${deviceMemory} GB`,
    formats: adapter.hasFloat16 ? ["f32", "f16", "int8", "int4"] : ["f32", "int8", "int4"],
  };
}

function pageBytes(deviceMemory: number | undefined): number | null {
  if (deviceMemory === undefined || deviceMemory >= DEVICE_MEMORY_CAP) return null;
  return deviceMemory * PAGE_SHARE * GIGABYTE;
}

/** Layout of matrices in `@waggle/model`; only linears have 4 bits. */
function matrixBytes(
  rows: number,
  columns: number,
  dtype: WeightFormat,
  isLinear: boolean,
  activations: "f32" | "f16",
): { readonly all: number; readonly largest: number } {
  if (dtype === "f32" || dtype === "f16") {
    const all = rows * columns * numberBytes(dtype);
    return { all, largest: all };
  }
  const bits = dtype === "int4" && isLinear ? 4 : 8;
  const blocks = Math.ceil(columns / BLOCK_SIZE);
  const values = (rows * blocks * BLOCK_SIZE * bits) / 8;
  const zeroPoints = bits === 4 ? rows * Math.ceil(blocks / 2) : 0;
  return { all: values + rows * blocks * numberBytes(activations) + zeroPoints, largest: values };
}

/** Memory of the kernels' intermediate results: those of 64 tokens, and logits of 16. */
function simdScratchBytes(config: DecoderConfig): number {
  const { width, feedForwardSize, heads, keyValueHeads, headSize, vocabularySize } = config;
  const perToken =
    3 * width + 2 * heads * headSize + 2 * keyValueHeads * headSize + 2 * feedForwardSize;
  return 4 * (64 * perToken + 16 * vocabularySize);
}

function scratchBytes(
  config: DecoderConfig,
  options: ModelMemoryOptions,
  contextLength: number,
  activations: "f32" | "f16",
): number {
  const { width, feedForwardSize, heads, keyValueHeads, headSize, vocabularySize } = config;
  const mostTokens = options.runTokens ?? runTokensFor(config, contextLength);
  const runTokens = Math.min(contextLength, mostTokens);
  // Logits are float32 where they are read: those of a scoring run, or of the rows of a batch.
  const scored = Math.min(runTokens, runScoresFor(config));
  const logits = 4 * vocabularySize * Math.max(scored, decodeRowsFor(config));
  // Residual, its norm, queries, keys, values, and gate, up and their product exist at once.
  const perToken =
    2 * width + 2 * heads * headSize + 2 * keyValueHeads * headSize + 3 * feedForwardSize;
  const scores = heads * runTokens * contextLength;
  return logits + (perToken * runTokens + scores) * numberBytes(activations);
}

function numberBytes(dtype: "f32" | "f16"): number {
  return dtype === "f32" ? 4 : 2;
}
