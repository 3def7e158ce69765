/** The decoder backend of a worker without WebGPU: everything in place on one WebAssembly heap. */
import type { CreateOrtModule } from "onnxruntime-web/ort-wasm-simd-threaded.mjs";
import type { DecoderBackend } from "../decoder-backend.ts";
import { CpuBackend } from "./cpu-backend.ts";
import type { CpuBackendOptions } from "./cpu-backend.ts";
import { createWasmDevice } from "./wasm-device.ts";

/** Options of `createWasmBackend`. */
export type WasmBackendOptions = CpuBackendOptions & {
  /** More than 1 requires a cross-origin isolated page. */
  readonly threads: number;
  /** Default: loads onnxruntime's module from the files that the page's bundler copied. */
  readonly createModule?: CreateOrtModule | undefined;
};

/**
 * Starts a separate module, which shares nothing with other backends. Runs return synchronously.
 *
 * @throws WaggleError `DEVICE_UNAVAILABLE` if the module does not load.
 */
export async function createWasmBackend(options: WasmBackendOptions): Promise<DecoderBackend> {
  const { threads, createModule, ...model } = options;
  return new CpuBackend(await createWasmDevice(threads, createModule), model);
}
