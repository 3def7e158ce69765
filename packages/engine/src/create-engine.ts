/**
 * Chooses an engine by device. TensorFlow.js is loaded only when it is asked for: it takes longer to
 * start than the native engine takes for a step.
 */
import type { Adapter, DecoderConfig } from "@waggle/model";
import type { TensorMap, TrainEngine } from "@waggle/protocol";
import { createOnnxEngine } from "./onnx-engine.ts";

/**
 * `cpu`: onnxruntime's native CPU provider; `wasm`, `webgpu`: TensorFlow.js, the slow reference.
 * `auto` is `cpu`, by far the fastest without a GPU.
 */
export type EngineDevice = "auto" | "cpu" | "wasm" | "webgpu";

export type EngineOptions = {
  readonly device: EngineDevice;
  readonly config: DecoderConfig;
  /** Hugging Face names; copied, never written to. */
  readonly weights: TensorMap;
  readonly trains: "lora" | "full";
  /** Where training starts; required with `lora`, refused with `full`. */
  readonly adapter?: Adapter;
  /** Threads of the native engine, default: all that the machine offers. */
  readonly threads?: number;
  /** Bound on the padded tokens of one microbatch, for memory. Default: the engine's own. */
  readonly maxMicrobatchTokens?: number;
};

/**
 * The engine for a device; `capabilities().device` says which it became.
 * @throws WaggleError `DEVICE_UNAVAILABLE` where the device cannot start, and what
 *   `createOnnxEngine` throws.
 */
export async function createEngine(options: EngineOptions): Promise<TrainEngine> {
  const { device, threads, ...shared } = options;
  switch (device) {
    case "auto":
    case "cpu":
      return createOnnxEngine({ ...shared, ...(threads === undefined ? {} : { threads }) });
    case "wasm":
    case "webgpu": {
      const { createTfjsEngine } = await import("./tfjs-engine.ts");
      return createTfjsEngine({ ...shared, device });
    }
  }
}
