/** What the WebGPU back end is opened with. Which device a page has is `webgpu-device.ts`' business. */
import type { DecoderConfig, TensorSource, WeightFormat } from "@waggle/model";
import type { TensorMap } from "@waggle/protocol";
import type { CreateWebgpuGraph } from "./webgpu-graph.ts";

/**
 * What a device computes wrongly or slowly, and the way around it. The defaults are right on every
 * device that was tried; a self-check on the visitor's device may choose others.
 */
type WebgpuQuirks = {
  /**
   * Most tokens of one run. With `subgroups` onnxruntime 1.30.0's attention gives wrong logits for 32
   * and more tokens of a row, without an error, on SwiftShader (subgroups of 4) and on lavapipe (of
   * 8); on devices requested without `subgroups` it is right at 128 on both, and reads a prompt in
   * half the time. Default 31. Bounded by 128 MiB of attention scores.
   */
  readonly maxRunTokens?: number;
  /** False: single tokens are read by ordinary runs, not by the recorded commands. Default true. */
  readonly replay?: boolean;
};

export type WebgpuBackendOptions = {
  /** By C functions, or by onnxruntime's JavaScript where only that can be loaded. */
  readonly createGraph: CreateWebgpuGraph;
  /**
   * From `requestWebgpuDevice`. Only back ends use it, never two of them at the same time; the last
   * destroys it when disposed. What onnxruntime compiled for one serves the next.
   */
  readonly device: GPUDevice;
  readonly config: DecoderConfig;
  readonly weights: TensorMap | TensorSource;
  /** Number format of the matrices, default `f32`; also for `f16` where the device has no f16. */
  readonly dtype?: WeightFormat;
  /** Positions of every cache: its memory is allocated once, for all of them. */
  readonly contextLength: number;
  /** Adapters up to this rank share one graph; a larger one compiles a larger graph. Default 16. */
  readonly adapterRank?: number;
  /**
   * True: the base model, too, runs on the graph with adapter inputs. Costs some of its speed; saves
   * a second graph when the first adapter comes. Default false.
   */
  readonly adapters?: boolean;
  /** Most tokens of one run that are scored. Default: as many as have 64 MiB of logits. */
  readonly maxRunScores?: number;
  /** Most rows of one run. Default: 8, fewer where their caches would pass 1 GiB. */
  readonly maxRows?: number;
  readonly quirks?: WebgpuQuirks;
};
