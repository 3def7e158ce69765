/**
 * Creates an engine for a device. TensorFlow.js is imported only when asked for: importing it takes
 * longer than a training step of the native engine.
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

/** All devices of this machine that an engine can run on. */
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
 * Providers of onnxruntime (`auto`: the best one that starts), and `reference-*`: TensorFlow.js, slow,
 * with gradients by the library.
 */
export type EngineDevice = (typeof ENGINE_DEVICES)[number];

/** URL of a Tinker API server, used in place of a local device. */
export type EngineUrl = `http://${string}` | `https://${string}`;

/** Options of `createEngine`. */
export type EngineOptions = {
  readonly device: EngineDevice | EngineUrl;
  readonly config: DecoderConfig;
  /**
   * By Hugging Face names; copied, never written to. A source is read tensor by tensor, and matrices
   * stored in fewer bits in slices. A server and the `reference-*` devices read it whole, as float32.
   */
  readonly weights: TensorMap | TensorSource;
  readonly trains: "lora" | "full";
  /** Where training starts. Required with `lora`, refused with `full`. */
  readonly adapter?: Adapter;
  /** Trainable heads that output `values`. Servers do not support them. */
  readonly valueHead?: ValueHead;
  /** Threads on `cpu` and `wasm`. Default: all of the machine's. */
  readonly threads?: number;
  /** Limit on the tokens of a microbatch, padding included; bounds memory. Default: the engine's. */
  readonly maxMicrobatchTokens?: number;
  /** Options of the ONNX engine, documented there; other engines ignore them. */
  readonly base?: ResidentFormat;
  readonly precision?: Precision;
  readonly checkpointing?: Checkpointing | "auto";
  readonly memoryLimit?: number;
  /** Only with a URL: settings that only the server's operator knows. */
  readonly server?: RemoteServerOptions | undefined;
};

/**
 * Creates the engine for a device; `capabilities().device` names the device it got.
 * @throws WaggleError `DEVICE_UNAVAILABLE` where the device cannot start. Also throws what
 *   `createOnnxEngine` does.
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

/** Reads all weights into memory for engines that need them. @throws WaggleError `MODEL_CORRUPT`. */
export async function readWhole({
  config,
  weights,
}: Pick<EngineOptions, "config" | "weights">): Promise<{ readonly weights: TensorMap }> {
  return { weights: "tensors" in weights ? await readDecoderWeights(config, weights) : weights };
}

/** @throws WaggleError `CAPABILITY_MISSING` where the device's engine has no choice of precision. */
export function requirePrecision(
  device: EngineOptions["device"],
  precision: Precision | undefined,
): void {
  if (precision !== "f16" || !(isEngineUrl(device) || device.startsWith("reference-"))) return;
  throw new WaggleError(
    "CAPABILITY_MISSING",
    `device ${device} has no precision f16; choose auto, cuda, webgpu, cpu or wasm, or leave the precision out`,
  );
}

/** Whether a device is the URL of a server. */
export function isEngineUrl(device: string): device is EngineUrl {
  return /^https?:\/\//.test(device);
}
