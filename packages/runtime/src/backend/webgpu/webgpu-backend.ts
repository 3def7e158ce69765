/**
 * The decoder back end on onnxruntime's WebGPU provider, on a device that is ours: in-place caches,
 * recorded decode steps and sampling on the device.
 */
import { WaggleError } from "@waggle/protocol";
import type { DecoderBackend } from "../decoder-backend.ts";
import type { WebgpuBackendOptions } from "./webgpu-options.ts";

/**
 * Opens a model on a device.
 *
 * @throws WaggleError `DEVICE_UNAVAILABLE`, `OUT_OF_MEMORY`, `MODEL_UNSUPPORTED`.
 */
export async function createWebgpuBackend(options: WebgpuBackendOptions): Promise<DecoderBackend> {
  throw new WaggleError(
    "CAPABILITY_MISSING",
    `a WebGPU back end of context ${options.contextLength} must be built, got none yet; use wasm`,
  );
}
