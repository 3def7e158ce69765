/** The Policy in Node, over onnxruntime-node: for the trainer, evaluation and tests. */
import { availableParallelism } from "node:os";
import { parameterCount } from "@waggle/model";
import type { DecoderConfig } from "@waggle/model";
import type { TensorMap } from "@waggle/protocol";
import * as ort from "onnxruntime-node";
import { RUNTIME_BUILD } from "../build.ts";
import { createDecoderPolicy } from "../decoder-policy.ts";
import type { AdaptivePolicy, DecoderPolicy } from "../decoder-policy.ts";
import {
  decodeRowsFor,
  defaultContextLength,
  defaultThreads,
  runTokensFor,
  WEBGPU_RUN_TOKENS,
} from "../limits.ts";
import { createOrtBackend } from "../ort-session.ts";
import type { AdapterStrategy } from "../ort-session.ts";

export type NodePolicyOptions = {
  readonly config: DecoderConfig;
  /** Hugging Face names, float32. Kept: adapters are merged into them. */
  readonly weights: TensorMap;
  /** Hex sha256 of the model's file list. */
  readonly baseModel: string;
  /** Default `cpu`. */
  readonly device?: "cpu" | "webgpu";
  /** CPU threads of one run. Default: one for small models, else what the machine has, at most 4. */
  readonly threads?: number;
  /** Most tokens of one context. Default: the model's, at most 8192. */
  readonly contextLength?: number;
  /** Most tokens of one run in prefill and scoring. Default: bounded by the size of the logits. */
  readonly maxRunTokens?: number;
  /**
   * Most contexts that decode in one run when they sample at the same time; 1 repeats bit for bit
   * however they overlap. Default 32.
   */
  readonly maxRows?: number;
  /** Default `merge`, which costs nothing per token. */
  readonly adapterStrategy?: AdapterStrategy;
};

/** A policy at version 0, the base model. */
export function createNodePolicy(options: NodePolicyOptions): Promise<AdaptivePolicy> {
  return createNodeDecoderPolicy(options, {});
}

/** The same with the seams that tests need; not public. */
export function createNodeDecoderPolicy(
  options: NodePolicyOptions,
  seams: { readonly keepsCacheOnAdoption?: boolean },
): Promise<DecoderPolicy> {
  const { config, weights, baseModel, device = "cpu" } = options;
  const threads =
    options.threads ?? defaultThreads(4 * parameterCount(config), availableParallelism());
  const contextLength = options.contextLength ?? defaultContextLength(config);
  // The native library reports usage to its maker unless told not to; read at its first session.
  process.env["ORT_DISABLE_TELEMETRY"] ??= "1";
  const isGpu = device === "webgpu";
  const backend = createOrtBackend({
    runtime: ort,
    config,
    weights,
    maxPositions: contextLength,
    sessionOptions: {
      executionProviders: [device],
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      logSeverityLevel: 3,
      // Waiting threads that spin take the cores from whatever shares them.
      extra: { session: { intra_op: { allow_spinning: "0" } } },
    },
    maxRunTokens: options.maxRunTokens ?? (isGpu ? WEBGPU_RUN_TOKENS : runTokensFor(config)),
    maxRows: isGpu ? 1 : (options.maxRows ?? decodeRowsFor(config)),
    adapterStrategy: options.adapterStrategy ?? "merge",
    adapterRank: 16,
  });
  return createDecoderPolicy({
    backend,
    client: {
      build: RUNTIME_BUILD,
      backend: isGpu ? "node-webgpu" : "node-cpu",
      device: isGpu ? "onnxruntime-node webgpu" : `cpu x${threads}`,
      crossOriginIsolated: false,
    },
    baseModel,
    contextLength,
    vocabularySize: config.vocabularySize,
    scoresInRows: !isGpu,
    nextTask: () => new Promise((resolve) => setImmediate(resolve)),
    ...seams,
  });
}
