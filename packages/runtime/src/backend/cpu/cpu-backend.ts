/**
 * Opens adapters of one base model on a CPU device, either merged into the weights of a program per
 * adapter, or as inputs of one program that all of them share.
 */
import {
  adapterGraphInputs,
  buildDecoderGraph,
  canBranch,
  decoderStates,
  emptySink,
  expandedWeights,
  joinProducts,
  mergeAdapter,
  parameterCount,
  tensorMapSource,
} from "@waggle/model";
import type { Adapter, DecoderConfig, InputForm, TensorSource, WeightFormat } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import type { TensorMap } from "@waggle/protocol";
import type { BackendMemory, DecoderBackend, DecoderSession } from "../decoder-backend.ts";
import { CpuSession } from "./cpu-session.ts";
import type { CpuBuffer, CpuDevice, CpuProgram, Operand } from "./cpu-device.ts";
import { hasRoomExpanded } from "../../expanded-room.ts";
import { decodeRowsFor, runScoresFor, runTokensFor } from "../../limits.ts";
import { layoutOf } from "./state-layout.ts";
import type { StateLayout } from "./state-layout.ts";
import { SharedProgram } from "./shared-program.ts";

/** Options of `CpuBackend`. */
export type CpuBackendOptions = {
  readonly config: DecoderConfig;
  /** Kept, because sessions are opened from them. The strategy `merge` needs them in memory. */
  readonly weights: TensorMap | TensorSource;
  /** Number format of the matrices, default `f32`. Everything else is f32, also with `f16`. */
  readonly dtype?: WeightFormat | undefined;
  /**
   * Whether quantized matrices are expanded to float32 numbers: onnxruntime's products of 4 and 8
   * bits take 6 to 10 times as long per token on WASM, and longer on native CPUs too
   * (docs/evidence/appendix/runtime.md). Default: if there is room.
   */
  readonly expandsQuantized?: boolean | undefined;
  /**
   * The config whose size decides the defaults for expanding and branch weights, so that a check
   * can run a small model like the large one. Default `config`.
   */
  readonly sizedAs?: DecoderConfig | undefined;
  /** Maximum positions of one row. */
  readonly contextLength: number;
  /**
   * Default: `merge`, which costs nothing per token, if weights are in memory and not quantized;
   * otherwise `inputs`.
   */
  readonly adapterStrategy?: AdapterStrategy | undefined;
  /** With `inputs`: adapters up to this rank share one graph. Default 16. */
  readonly adapterRank?: number | undefined;
  /**
   * With `inputs`: whether the first session opens the graph that takes adapters, even without one. Otherwise the weights
   * are in memory twice while the first adapter opens. Default false.
   */
  readonly startsAdaptable?: boolean | undefined;
  /**
   * If forks share a prefix: whether the branch graph has its own copy of the weights (`twice`), or a
   * single graph then serves all runs (`once`). Default: by the model's size.
   */
  readonly branchWeights?: "twice" | "once" | undefined;
  /** Default: limited by the memory of attention scores. */
  readonly maxRunTokens?: number | undefined;
  /** Maximum scored tokens per run. Default: limited by the memory of their logits. */
  readonly maxRunScores?: number | undefined;
  /** Default: limited by the memory of logits, at most 32. */
  readonly maxRows?: number | undefined;
};

/**
 * `merge`: a separate program for each adapter, no cost per token. `inputs`: one program that takes
 * A and B as inputs, no cost per swap.
 */
export type AdapterStrategy = "merge" | "inputs";

/** Format of everything but the matrices: CPUs have no useful f16 kernels for attention. */
const ACTIVATIONS = "f32";

/**
 * Forks share prefixes from this many positions on. Shorter ones are copied, which is faster than
 * loading the second graph.
 */
const MIN_SHARED_LENGTH = 128;

/**
 * Models up to this many parameters are loaded a second time, for the branch graph. Larger ones
 * switch to one graph that chooses in each layer. The choice takes a tenth of a small model's step,
 * but only some hundredths of a large one's.
 */
const MOST_PARAMETERS_TWICE = 2 * 2 ** 20;

export class CpuBackend implements DecoderBackend {
  readonly dtype: WeightFormat;
  readonly kernels: string;
  readonly #device: CpuDevice;
  readonly #options: CpuBackendOptions;
  readonly #layouts: readonly StateLayout[];
  readonly #strategy: AdapterStrategy;
  /** Format of matrices that are expanded to float32; `null` for none. */
  readonly #expandedFormat: "int8" | "int4" | null;
  /** Weights that adapters can be merged into. */
  readonly #mergeable: TensorMap | null;
  readonly #sessions = new Set<CpuSession>();
  readonly #programs = new Set<SharedProgram>();
  /** The program for the next adapter with `inputs`, for the base model with `merge`. */
  #shared: SharedProgram | null = null;
  #adapterBytes = 0;

  constructor(device: CpuDevice, options: CpuBackendOptions) {
    this.#device = device;
    this.#options = options;
    const { dtype = "f32", sizedAs = options.config } = options;
    const { expandsQuantized = hasRoomExpanded(sizedAs) } = options;
    this.dtype = dtype === "f16" ? ACTIVATIONS : dtype;
    this.#expandedFormat = expandsQuantized && isQuantized(this.dtype) ? this.dtype : null;
    this.kernels = `${device.kernels}${this.#expandedFormat === null ? "" : " expanded"}`;
    this.#layouts = decoderStates(options.config, ACTIVATIONS).map(layoutOf);
    const { weights } = options;
    this.#mergeable = "tensors" in weights || isQuantized(this.dtype) ? null : weights;
    this.#strategy = options.adapterStrategy ?? (this.#mergeable === null ? "inputs" : "merge");
  }

  async open(adapter: Adapter | null, scale = 1): Promise<DecoderSession> {
    const scaled = adapter && { ...adapter, alpha: adapter.alpha * scale };
    return this.#strategy === "inputs" ? this.#openWithInputs(scaled) : this.#openMerged(scaled);
  }

  memory(): BackendMemory {
    let weights = 0;
    let adapters = this.#adapterBytes;
    for (const shared of this.#programs) {
      if (shared === this.#shared) weights += shared.sizeBytes;
      else adapters += shared.sizeBytes;
    }
    let caches = 0;
    let scratch = 0;
    for (const session of this.#sessions) {
      caches += session.cacheBytes;
      scratch += session.scratchBytes;
    }
    return { weights, adapters, caches, scratch };
  }

  async dispose(): Promise<void> {
    for (const session of this.#sessions) await session.release();
    const shared = this.#shared;
    this.#shared = null;
    if (shared !== null) await this.#releaseUnused(shared);
    this.#device.dispose();
  }

  async #openMerged(adapter: Adapter | null): Promise<DecoderSession> {
    if (adapter === null) {
      this.#shared ??= await this.#load(() => this.#options.weights, 0);
      return this.#session(this.#shared, []);
    }
    if (this.#mergeable === null) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `adapters can only be merged into f32 weights in memory, and these are ${this.dtype}${"tensors" in this.#options.weights ? " read from storage" : ""}; use the strategy "inputs"`,
      );
    }
    const base = this.#mergeable;
    const merged = (): TensorMap => mergeAdapter(this.#options.config, base, adapter);
    return this.#session(await this.#load(merged, 0), []);
  }

  async #openWithInputs(adapter: Adapter | null): Promise<DecoderSession> {
    const least = this.#options.startsAdaptable === true ? 1 : 0;
    const shared = await this.#programFor(adapter?.rank ?? least);
    const operands: Operand[] = [];
    const { config } = this.#options;
    try {
      for (const [name, { data, shape }] of adapterGraphInputs(config, adapter, shared.rank)) {
        const buffer = this.#device.allocate(data.byteLength);
        operands.push({ name, buffer, offset: 0, type: "f32", shape });
        buffer.floats(0, data.length).set(data);
      }
    } catch (error) {
      for (const { buffer } of operands) buffer.free();
      throw error;
    }
    return this.#session(shared, operands);
  }

  async #programFor(rank: number): Promise<SharedProgram> {
    const current = this.#shared;
    if (current !== null && rank <= current.rank) return current;
    let padded = this.#options.adapterRank ?? 16;
    while (padded < rank) padded *= 2;
    this.#shared = await this.#load(() => this.#options.weights, padded);
    if (current !== null) await this.#releaseUnused(current);
    return this.#shared;
  }

  async #load(weights: () => TensorMap | TensorSource, rank: number): Promise<SharedProgram> {
    const { config, sizedAs = config } = this.#options;
    const { branchWeights = isLarge(sizedAs) ? "once" : "twice" } = this.#options;
    const shared = await SharedProgram.open({
      device: this.#device,
      config,
      rank,
      branchWeights,
      load: (inputs) => this.#program(weights(), rank, inputs),
    });
    this.#programs.add(shared);
    return shared;
  }

  async #program(
    weights: TensorMap | TensorSource,
    rank: number,
    inputs: InputForm,
  ): Promise<CpuProgram> {
    const { config, contextLength } = this.#options;
    const source = "tensors" in weights ? weights : tensorMapSource(weights);
    const format = this.#expandedFormat;
    const read = format === null ? source : expandedWeights(config, source, format);
    const graph = await buildDecoderGraph(config, read, {
      lora: rank === 0 ? null : { rank },
      maxPositions: contextLength,
      dtype: format === null ? this.dtype : "f32",
      activations: ACTIVATIONS,
      logitRows: true,
      sink: emptySink,
      arrange: joinProducts,
      inputs,
    });
    return this.#device.load(graph);
  }

  /** Whether forks can share prefixes. */
  get #canShare(): boolean {
    return canBranch(this.#options.config) && !this.#device.copiesOutputs;
  }

  #session(shared: SharedProgram, adapter: readonly Operand[]): DecoderSession {
    const { config, contextLength } = this.#options;
    const buffers: CpuBuffer[] = adapter.map(({ buffer }) => buffer);
    const bytes = buffers.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    this.#adapterBytes += bytes;
    const session: CpuSession = new CpuSession({
      device: this.#device,
      programs: shared,
      adapter,
      config,
      layouts: this.#layouts,
      maxPositions: contextLength,
      maxRunTokens: this.#options.maxRunTokens ?? runTokensFor(config, contextLength),
      maxRunScores: this.#options.maxRunScores ?? runScoresFor(config),
      maxRows: this.#options.maxRows ?? decodeRowsFor(config),
      minSharedLength: this.#canShare ? MIN_SHARED_LENGTH : Number.POSITIVE_INFINITY,
      onRelease: async () => {
        if (!this.#sessions.delete(session)) return;
        for (const buffer of buffers) buffer.free();
        this.#adapterBytes -= bytes;
        shared.users.delete(session);
        await this.#releaseUnused(shared);
      },
    });
    this.#sessions.add(session);
    shared.users.add(session);
    return session;
  }

  async #releaseUnused(shared: SharedProgram): Promise<void> {
    const isUsed = shared.users.size > 0 || shared === this.#shared;
    if (!isUsed && this.#programs.delete(shared)) await shared.release();
  }
}

/** A number format as text, including how a model of this size computes with it. */
export function formatOf({
  config,
  dtype,
}: {
  readonly config: DecoderConfig;
  readonly dtype: WeightFormat;
}): string {
  const isExpanded = isQuantized(dtype) && hasRoomExpanded(config);
  return `${dtype}${isLarge(config) ? " large" : ""}${isExpanded ? " expanded" : ""}`;
}

function isLarge(config: DecoderConfig): boolean {
  return parameterCount(config) > MOST_PARAMETERS_TWICE;
}

function isQuantized(dtype: WeightFormat): dtype is "int8" | "int4" {
  return dtype === "int8" || dtype === "int4";
}
