/** The Policy in Node on onnxruntime-node, for trainers, evaluations and tests. */
import { availableParallelism } from "node:os";
import { parameterCount } from "@waggle/model";
import type { DecoderConfig, TensorSource, WeightFormat } from "@waggle/model";
import type { TensorMap } from "@waggle/protocol";
import type { CreateOrtModule } from "onnxruntime-web/ort-wasm-simd-threaded.mjs";
import { WAGGLE_VERSION } from "@waggle/protocol";
import type { AdapterStrategy } from "../backend/cpu/cpu-backend.ts";
import { createWasmBackend } from "../backend/cpu/wasm-backend.ts";
import { contextLengthFor, defaultThreads } from "../limits.ts";
import { openGrammars } from "../session/open-grammars.ts";
import { createScheduledPolicy } from "../session/scheduled-policy.ts";
import type { ScheduledPolicy } from "../session/scheduled-policy.ts";
import type { AdaptivePolicy } from "../session/session.ts";
import { createNodeBackend } from "./node-backend.ts";

/** Options of `createNodePolicy`. */
export type NodePolicyOptions = {
  readonly config: DecoderConfig;
  /** By Hugging Face names. Kept, because adapters are merged into them. */
  readonly weights: TensorMap | TensorSource;
  /** Hex sha256 of the model's file list. */
  readonly baseModel: string;
  /** Number format of the matrices. Default `f32`, to which `f16` falls back. */
  readonly dtype?: WeightFormat;
  /**
   * The runtime. `wasm` (one thread, f32) keeps keys and values in place, where the native library
   * copies them for each token: models of less than a million parameters take half the time.
   * Default `native`.
   */
  readonly kernels?: "native" | "wasm";
  /** CPU threads of one run. Default: one for small models, otherwise the machine's, at most 4. */
  readonly threads?: number;
  /** Maximum tokens of one session. Default: the model's positions, at most 8192. */
  readonly contextLength?: number;
  /** Maximum tokens of one run in prefill and scoring. Default: limited by the size of the logits. */
  readonly maxRunTokens?: number;
  /**
   * Maximum sessions that decode in one run when they generate concurrently. 1 makes results
   * independent of concurrency, bit for bit. Default 32.
   */
  readonly maxRows?: number;
  /** Default: `merge`, which costs nothing per token, if weights are in memory and not quantized. */
  readonly adapterStrategy?: AdapterStrategy;
  /**
   * Bytes for keys and values. Beyond that, idle sessions' are dropped and recomputed. Default 1
   * GiB.
   */
  readonly cacheBytes?: number;
  /** Tokenizer files of the model's folder, which grammars need. */
  readonly tokenizerFiles?: ReadonlyMap<string, Uint8Array>;
};

/**
 * Creates a policy at version 0, the base model.
 * @throws WaggleError `INVALID_ARGUMENT` for a context beyond the model's positions.
 */
export async function createNodePolicy(options: NodePolicyOptions): Promise<AdaptivePolicy> {
  return createScheduledNodePolicy(options, {});
}

/** The same with further options for tests; not public. */
export async function createScheduledNodePolicy(
  options: NodePolicyOptions,
  seams: { readonly keepsCacheOnAdoption?: boolean },
): Promise<ScheduledPolicy> {
  const { config, weights, baseModel, tokenizerFiles } = options;
  const isNative = options.kernels !== "wasm";
  const threads = isNative
    ? (options.threads ?? defaultThreads(4 * parameterCount(config), availableParallelism()))
    : 1;
  const contextLength = contextLengthFor(config, options.contextLength);
  return createScheduledPolicy({
    openBackend: () => {
      const backend = {
        config,
        weights,
        dtype: options.dtype,
        contextLength,
        adapterStrategy: options.adapterStrategy,
        maxRunTokens: options.maxRunTokens,
        maxRows: options.maxRows,
      };
      return isNative
        ? Promise.resolve(createNodeBackend({ ...backend, threads }))
        : createWasmBackend({ ...backend, threads, createModule: createWasmModule });
    },
    client: {
      build: WAGGLE_VERSION,
      backend: isNative ? "node-cpu" : "wasm",
      device: `${isNative ? "cpu" : "wasm"} x${threads}`,
      crossOriginIsolated: false,
    },
    baseModel,
    contextLength,
    vocabularySize: config.vocabularySize,
    cacheBytes: options.cacheBytes,
    openGrammars: tokenizerFiles && (() => openGrammars(tokenizerFiles, config.vocabularySize)),
    ...seams,
  });
}

/** Imported on demand, because its top-level await would prevent `require()` of this package. */
const createWasmModule: CreateOrtModule = async (config) => {
  const { default: createModule } = await import("onnxruntime-web/ort-wasm-simd-threaded.mjs");
  return createModule(config);
};
