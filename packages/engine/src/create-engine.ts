/**
 * Chooses an engine by device. TensorFlow.js is loaded only when it is asked for: it takes longer to
 * start than the native engine takes for a step.
 */
import { readDecoderWeights } from "@waggle/model";
import type {
  Adapter,
  DecoderConfig,
  ResidentFormat,
  TensorSource,
  ValueHead,
} from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import type { TensorMap, TrainEngine } from "@waggle/protocol";
import { loadTensorflow } from "./load-tensorflow.ts";
import type { Checkpointing, Precision } from "./memory/memory-plan.ts";
import { createOnnxEngine } from "./onnx/onnx-engine.ts";
import { createRemoteEngine } from "./remote/create-remote-engine.ts";
import type { RemoteServerOptions } from "./remote/create-remote-engine.ts";

/** Every device that can be asked for. */
export const ENGINE_DEVICES = [
  "auto",
  "cuda",
  "webgpu",
  "cpu",
  "wasm",
  "reference-wasm",
  "reference-webgpu",
] as const;

/**
 * Providers of onnxruntime, `auto` the best that starts; `reference-`: TensorFlow.js, slow, with
 * gradients of its own.
 */
export type EngineDevice = (typeof ENGINE_DEVICES)[number];

/** A server of the Tinker API in place of a device of this machine. */
export type EngineUrl = `http://${string}` | `https://${string}`;

export type EngineOptions = {
  readonly device: EngineDevice | EngineUrl;
  readonly config: DecoderConfig;
  /**
   * Hugging Face names; copied, never written to. A source is read tensor by tensor, matrices that are
   * held in fewer bits in slices; a server and the `reference-` devices take it whole, as float32.
   */
  readonly weights: TensorMap | TensorSource;
  readonly trains: "lora" | "full";
  /** Where training starts; required with `lora`, refused with `full`. */
  readonly adapter?: Adapter;
  /** Heads that give `values` and are trained; a server has none and refuses. */
  readonly valueHead?: ValueHead;
  /** Threads on `cpu` and `wasm`, default: all that the machine offers. */
  readonly threads?: number;
  /** Bound on the padded tokens of one microbatch, for memory. Default: the engine's own. */
  readonly maxMicrobatchTokens?: number;
  /** Of the ONNX engine, which explains them; the others have no use for them. */
  readonly base?: ResidentFormat;
  readonly precision?: Precision;
  readonly checkpointing?: Checkpointing | "auto";
  readonly memoryLimit?: number;
  /** With a URL: what only the server's operator knows. */
  readonly server?: RemoteServerOptions | undefined;
};

/**
 * The engine for a device; `capabilities().device` says which it became.
 * @throws WaggleError `DEVICE_UNAVAILABLE` where the device cannot start, and what
 *   `createOnnxEngine` throws.
 */
export async function createEngine(options: EngineOptions): Promise<TrainEngine> {
  const { device, threads, server, ...shared } = options;
  requirePrecision(device, options.precision);
  if (isEngineUrl(device)) {
    return createRemoteEngine({ ...server, ...shared, ...(await readWhole(options)), url: device });
  }
  if (device === "reference-wasm" || device === "reference-webgpu") {
    const { createTfjsEngine } = await loadTensorflow(() => import("./tfjs/tfjs-engine.ts"));
    return createTfjsEngine({
      ...shared,
      ...(await readWhole(options)),
      device: device === "reference-wasm" ? "wasm" : "webgpu",
    });
  }
  return createOnnxEngine({ ...shared, device, ...(threads === undefined ? {} : { threads }) });
}

/** The weights for what takes them whole. @throws WaggleError `MODEL_CORRUPT`. */
export async function readWhole({
  config,
  weights,
}: Pick<EngineOptions, "config" | "weights">): Promise<{ readonly weights: TensorMap }> {
  return { weights: "tensors" in weights ? await readDecoderWeights(config, weights) : weights };
}

/** @throws WaggleError `CAPABILITY_MISSING` for a device that computes in a way of its own. */
export function requirePrecision(
  device: EngineOptions["device"],
  precision: Precision | undefined,
): void {
  if (precision !== "f16" || !(isEngineUrl(device) || device.startsWith("reference-"))) return;
  throw new WaggleError(
    "CAPABILITY_MISSING",
    `precision f16 must be asked of an engine of ONNX Runtime, got device ${device}; choose auto, cuda, webgpu, cpu or wasm, or leave the precision out`,
  );
}

/** Whether a device is a server's URL. */
export function isEngineUrl(device: string): device is EngineUrl {
  return /^https?:\/\//.test(device);
}
