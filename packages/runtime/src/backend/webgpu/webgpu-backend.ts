/**
 * The decoder backend on onnxruntime's WebGPU provider, on a device that we own: caches in place,
 * steps by recorded commands, sampling on the device, every buffer counted.
 */
import { decoderStates, stateShape } from "@waggle/model";
import type { Adapter, DecoderConfig, WeightFormat } from "@waggle/model";
import type { BackendMemory, DecoderBackend, DecoderSession } from "../decoder-backend.ts";
import { ORT_VERSION } from "../ort-module.ts";
import { AdapterMemory } from "./adapter-memory.ts";
import { canCapture, DecoderProgram } from "./decoder-program.ts";
import { DeviceListeners } from "./device-listeners.ts";
import type { GpuMemory } from "./gpu-memory.ts";
import { GpuSampler } from "./gpu-sampler.ts";
import { StepInputs } from "./step-inputs.ts";
import type { WebgpuBackendOptions } from "./webgpu-options.ts";
import { capacityFor, WebgpuSession } from "./webgpu-session.ts";
import { WeightMemory } from "./weight-memory.ts";

/** Maximum bytes of one run's logits. */
const MAX_LOGIT_BYTES = 64 * 1024 * 1024;
/** Maximum bytes of one layer's attention scores in a run, for kernels that store them. */
const MAX_SCORE_BYTES = 128 * 1024 * 1024;
/** Maximum bytes of caches for the rows of one run, by default. */
const MAX_ROW_BYTES = 1024 * 1024 * 1024;
const DEFAULT_ROWS = 8;
const DEFAULT_RUN_TOKENS = 31;
const DEFAULT_RANK = 16;

/**
 * Opens a model on a device.
 *
 * @throws WaggleError `MODEL_UNSUPPORTED`, `OUT_OF_MEMORY`, `DEVICE_LOST`.
 */
export async function createWebgpuBackend(options: WebgpuBackendOptions): Promise<DecoderBackend> {
  const listeners = DeviceListeners.join(options.device);
  let backend: WebgpuBackend | null = null;
  try {
    backend = new WebgpuBackend(options, listeners, await sharedBy(options, listeners.memory));
    await backend.prepare(options.weights);
    return backend;
  } catch (error) {
    if (backend === null) listeners.leave();
    else await backend.dispose();
    throw error;
  }
}

/** Shared by all sessions of a backend, whose runs do not overlap. */
type Shared = {
  readonly inputs: StepInputs;
  readonly sampler: GpuSampler;
  readonly logits: GPUBuffer;
  readonly maxRunTokens: number;
  readonly maxRunScores: number;
  readonly maxRows: number;
};

class WebgpuBackend implements DecoderBackend {
  readonly dtype: WeightFormat;
  readonly kernels: string;
  readonly #options: Omit<WebgpuBackendOptions, "weights">;
  readonly #listeners: DeviceListeners;
  readonly #memory: GpuMemory;
  readonly #shared: Shared;
  readonly #weights: WeightMemory;
  #isDisposed = false;
  readonly #sessions = new Set<WebgpuSession>();
  /** Programs without and with adapter inputs, for the next session. */
  #plain: DecoderProgram | null = null;
  #adaptable: DecoderProgram | null = null;

  constructor(options: WebgpuBackendOptions, listeners: DeviceListeners, shared: Shared) {
    const { weights: _, ...kept } = options;
    this.#options = kept;
    this.#listeners = listeners;
    this.#memory = listeners.memory;
    this.#shared = shared;
    this.#weights = new WeightMemory(listeners.memory);
    const wanted = options.dtype ?? "f32";
    const hasHalf = options.device.features.has("shader-f16");
    this.dtype = wanted === "f16" && !hasHalf ? "f32" : wanted;
    const isRecorded =
      (options.quirks?.replay ?? true) && canCapture(decoderStates(options.config, "f32"));
    const steps = isRecorded ? "recorded steps" : "plain steps";
    this.kernels = `${ORT_VERSION} webgpu gqa in-place, ${steps}`;
  }

  /** Opens the program that the first session will probably use. */
  async prepare(weights: WebgpuBackendOptions["weights"]): Promise<void> {
    if (this.#options.adapters === true) {
      this.#adaptable = await this.#load(this.#rankFor(0), weights);
    } else this.#plain = await this.#load(0, weights);
  }

  async open(adapter: Adapter | null, scale = 1): Promise<DecoderSession> {
    this.#memory.check();
    const program = await this.#programFor(adapter);
    const memory = this.#memory;
    const { config, contextLength } = this.#options;
    program.users++;
    try {
      const scaled = adapter && { ...adapter, alpha: adapter.alpha * scale };
      const { activations } = program.graph;
      const session: WebgpuSession = new WebgpuSession({
        ...this.#shared,
        memory,
        program,
        adapter: await AdapterMemory.create(
          memory,
          config,
          scaled,
          program.options.rank,
          activations,
        ),
        contextLength,
        onRelease: async () => {
          this.#sessions.delete(session);
          await this.#leave(program);
        },
      });
      this.#sessions.add(session);
      return session;
    } catch (error) {
      await this.#leave(program);
      throw error;
    }
  }

  memory(): BackendMemory {
    return this.#memory.bytes();
  }

  async dispose(): Promise<void> {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    const programs = [this.#plain, this.#adaptable];
    this.#plain = null;
    this.#adaptable = null;
    for (const session of this.#sessions) await session.release();
    for (const program of programs) if (program?.users === 0) await this.#release(program);
    const { inputs, sampler, logits } = this.#shared;
    sampler.dispose();
    inputs.buffer.destroy();
    logits.destroy();
    this.#weights.dispose();
    this.#listeners.leave();
  }

  /** Without an adapter: an existing program, preferably the plain one, which is faster. */
  async #programFor(adapter: Adapter | null): Promise<DecoderProgram> {
    if (adapter === null)
      return this.#plain ?? this.#adaptable ?? (this.#plain = await this.#load(0));
    const current = this.#adaptable;
    if (current !== null && adapter.rank <= current.options.rank) return current;
    this.#adaptable = await this.#load(this.#rankFor(adapter.rank));
    if (current?.users === 0) await this.#release(current);
    return this.#adaptable;
  }

  async #leave(program: DecoderProgram): Promise<void> {
    program.users--;
    const isCurrent = program === this.#plain || program === this.#adaptable;
    if (program.users === 0 && !isCurrent) await this.#release(program);
  }

  /** On a lost device nothing is freed, because onnxruntime may never return. */
  async #release(program: DecoderProgram): Promise<void> {
    await this.#memory.untilLost(program.release()).catch(() => undefined);
  }

  #rankFor(rank: number): number {
    let padded = this.#options.adapterRank ?? DEFAULT_RANK;
    while (padded < rank) padded *= 2;
    return padded;
  }

  #load(rank: number, weights?: WebgpuBackendOptions["weights"]): Promise<DecoderProgram> {
    const { createGraph, config, contextLength, quirks } = this.#options;
    const options = {
      createGraph,
      memory: this.#memory,
      tap: this.#listeners.tap,
      config,
      weights: this.#weights,
      dtype: this.dtype,
      rank,
      capacity: capacityFor(contextLength),
      replay: quirks?.replay ?? true,
    };
    return DecoderProgram.open(options, weights);
  }
}

async function sharedBy(options: WebgpuBackendOptions, memory: GpuMemory): Promise<Shared> {
  const { config, quirks, contextLength } = options;
  const { vocabularySize, heads } = config;
  const maxRows = rowsFor(options);
  const byScores = Math.floor(MAX_SCORE_BYTES / 4 / heads / capacityFor(contextLength));
  const maxRunTokens = Math.min(
    quirks?.maxRunTokens ?? DEFAULT_RUN_TOKENS,
    Math.max(DEFAULT_RUN_TOKENS, byScores),
  );
  const mostLogits = Math.max(16, Math.floor(MAX_LOGIT_BYTES / vocabularySize / 4));
  const maxRunScores = Math.min(options.maxRunScores ?? mostLogits, maxRunTokens);
  // A step computes logits of all its rows.
  const logitRows = Math.max(maxRunScores, maxRows);
  const [logits] = await memory.allocate("scratch", [logitRows * vocabularySize * 4]);
  const sampler = new GpuSampler({
    memory,
    vocabularySize,
    logits: logits as GPUBuffer,
    maxJobs: logitRows,
    maxSamples: maxRows,
  });
  const limits = { rows: maxRows, length: maxRunTokens, logits: logitRows };
  const inputs = new StepInputs(memory, limits);
  return { inputs, sampler, logits: logits as GPUBuffer, maxRunTokens, maxRunScores, maxRows };
}

/** A power of two, as blocks require. */
function rowsFor({ config, contextLength, maxRows, device, dtype }: WebgpuBackendOptions): number {
  const bytes = rowBytes(config, capacityFor(contextLength), dtype === "f16" ? 2 : 4);
  const bindable = device.limits.maxStorageBufferBindingSize;
  const most = Math.min(
    maxRows ?? Math.min(DEFAULT_ROWS, Math.floor(MAX_ROW_BYTES / bytes.all)),
    Math.floor(bindable / bytes.largest),
  );
  let rows = 1;
  while (rows * 2 <= most) rows *= 2;
  return rows;
}

function rowBytes(
  config: DecoderConfig,
  capacity: number,
  elementBytes: number,
): { readonly all: number; readonly largest: number } {
  const sizes = decoderStates(config, "f32").map(
    (state) =>
      elementBytes * stateShape(state, 1, capacity).reduce((product, dim) => product * dim, 1),
  );
  return { all: sizes.reduce((sum, size) => sum + size, 0), largest: Math.max(...sizes) };
}
