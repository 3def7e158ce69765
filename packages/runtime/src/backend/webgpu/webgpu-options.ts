/** Options of the WebGPU backend. `webgpu-device.ts` requests the device. */
import type { DecoderConfig, TensorSource, WeightFormat } from "@waggle/model";
import type { TensorMap } from "@waggle/protocol";
import type { CreateWebgpuGraph } from "./webgpu-graph.ts";

/**
 * Workarounds for devices that compute wrongly or slowly. The defaults are correct on every device
 * tried; a self-check on the visitor's device may choose others.
 */
type WebgpuQuirks = {
  /**
   * Maximum tokens of one run. With `subgroups`, onnxruntime 1.30.0's attention silently gives
   * wrong logits for 32 and more tokens of a row on SwiftShader (subgroups of 4) and on lavapipe
   * (of 8). On devices requested without `subgroups` it is correct at 128 on both, and reads a
   * prompt in half the time. Default 31. Limited by 128 MiB of attention scores.
   */
  readonly maxRunTokens?: number;
  /** False: read single tokens by normal runs instead of recorded commands. Default true. */
  readonly replay?: boolean;
};

/** Options of `createWebgpuBackend`. */
export type WebgpuBackendOptions = {
  /** Uses C functions, or onnxruntime's JavaScript where only that can be loaded. */
  readonly createGraph: CreateWebgpuGraph;
  /**
   * From `requestWebgpuDevice`. Only backends use it, one at a time; the last one destroys it when
   * disposed of. The next backend reuses what onnxruntime has compiled.
   */
  readonly device: GPUDevice;
  readonly config: DecoderConfig;
  readonly weights: TensorMap | TensorSource;
  /**
   * Number format of the matrices, default `f32`. `f16` falls back to f32 if the device has no f16.
   */
  readonly dtype?: WeightFormat;
  /** Positions of every cache, all allocated at once. */
  readonly contextLength: number;
  /** Adapters up to this rank share one graph; a larger one needs a larger graph. Default 16. */
  readonly adapterRank?: number;
  /**
   * Whether the base model also runs on the graph with adapter inputs. That is somewhat slower, but
   * avoids a second graph for the first adapter. Default false.
   */
  readonly adapters?: boolean;
  /** Maximum scored tokens per run. Default: those whose logits fit into 64 MiB. */
  readonly maxRunScores?: number;
  /** Maximum rows per run. Default: 8, or fewer if their caches would exceed 1 GiB. */
  readonly maxRows?: number;
  readonly quirks?: WebgpuQuirks;
};
