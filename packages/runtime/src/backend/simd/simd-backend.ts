/**
 * Opens adapters of one base model on the kernels. Supports llama, qwen2, qwen3 and smollm3; not
 * gemma3's sliding layers, nor lfm2's convolutions.
 */
import { tensorMapSource } from "@waggle/model";
import type { Adapter, DecoderConfig, TensorSource, WeightFormat } from "@waggle/model";
import { WAGGLE_VERSION, WaggleError } from "@waggle/protocol";
import type { TensorMap } from "@waggle/protocol";
import { decodeRowsFor, runScoresFor, runTokensFor } from "../../limits.ts";
import type { BackendMemory, DecoderBackend, DecoderSession } from "../decoder-backend.ts";
import { readWeights } from "./decoder-weights.ts";
import type { DecoderWeights } from "./decoder-weights.ts";
import { LowRank } from "./low-rank.ts";
import { SimdDecoder } from "./simd-decoder.ts";
import { SimdMemory } from "./simd-memory.ts";
import { isSimdModel } from "./simd-models.ts";
import { SimdSession } from "./simd-session.ts";

/** Options of `createSimdBackend`. */
export type SimdBackendOptions = {
  readonly config: DecoderConfig;
  /** Read once, slice by slice. */
  readonly weights: TensorMap | TensorSource;
  /** Number format of the matrices, default `f32`. Everything else is f32. */
  readonly dtype?: WeightFormat | undefined;
  /** Maximum positions of one row. */
  readonly contextLength: number;
  /** Default: as on other CPU backends. */
  readonly maxRunTokens?: number | undefined;
  /** Where everything is. Default: a new one. */
  readonly memory?: SimdMemory;
};

/**
 * Starts a module with its own memory, and reads the weights into it.
 *
 * @throws WaggleError `DEVICE_UNAVAILABLE` if the browser has no vector instructions,
 *   `MODEL_UNSUPPORTED`, `MODEL_CORRUPT`, or `OUT_OF_MEMORY` (retryable).
 */
export async function createSimdBackend(options: SimdBackendOptions): Promise<DecoderBackend> {
  const { config, weights, dtype = "f32", contextLength, memory = new SimdMemory() } = options;
  if (!isSimdModel(config)) {
    throw new WaggleError(
      "MODEL_UNSUPPORTED",
      `the WebAssembly kernels do not run ${config.modelType} with heads of ${config.headSize}; use another backend`,
    );
  }
  const source = "tensors" in weights ? weights : tensorMapSource(weights);
  const read = await readWeights(memory, config, source, dtype);
  return new SimdBackend(
    memory,
    read,
    new SimdDecoder(memory, config, read, contextLength),
    options,
  );
}

class SimdBackend implements DecoderBackend {
  readonly dtype: WeightFormat;
  readonly kernels: string;
  readonly #options: SimdBackendOptions;
  readonly #weights: DecoderWeights;
  readonly #sessions = new Map<SimdSession, LowRank | null>();
  /** `null` once disposed of. */
  #model: { readonly memory: SimdMemory; readonly decoder: SimdDecoder } | null;

  constructor(
    memory: SimdMemory,
    weights: DecoderWeights,
    decoder: SimdDecoder,
    options: SimdBackendOptions,
  ) {
    const { dtype = "f32" } = options;
    this.dtype = dtype === "f16" ? "f32" : dtype;
    const sums = memory.kernels.isRelaxed ? "relaxed" : "exact";
    this.kernels = `waggle/${WAGGLE_VERSION} wasm simd ${sums}`;
    this.#options = options;
    this.#weights = weights;
    this.#model = { memory, decoder };
  }

  async open(adapter: Adapter | null, scale = 1): Promise<DecoderSession> {
    if (this.#model === null) {
      throw new WaggleError("DEVICE_LOST", "the model was disposed of; open it again", {
        retryable: true,
      });
    }
    const { memory, decoder } = this.#model;
    const { config, contextLength } = this.#options;
    const scaled = adapter && { ...adapter, alpha: adapter.alpha * scale };
    const lowRank = scaled && new LowRank(memory, config, scaled);
    const session = new SimdSession({
      memory,
      decoder,
      config,
      adapter: lowRank,
      limits: {
        maxRows: decodeRowsFor(config),
        maxRunTokens: this.#options.maxRunTokens ?? runTokensFor(config, contextLength),
        maxRunScores: runScoresFor(config),
        maxPositions: contextLength,
      },
      onRelease: () => {
        if (this.#sessions.delete(session)) lowRank?.free();
      },
    });
    this.#sessions.set(session, lowRank);
    return session;
  }

  memory(): BackendMemory {
    const isOpen = this.#model !== null;
    let [adapters, caches] = [0, 0];
    for (const [session, adapter] of this.#sessions) {
      adapters += adapter?.sizeBytes ?? 0;
      caches += session.cacheBytes;
    }
    return {
      weights: isOpen ? this.#weights.sizeBytes : 0,
      adapters,
      caches,
      scratch: this.#model?.decoder.scratchBytes ?? 0,
    };
  }

  async dispose(): Promise<void> {
    for (const session of this.#sessions.keys()) await session.release();
    this.#model = null;
  }
}
