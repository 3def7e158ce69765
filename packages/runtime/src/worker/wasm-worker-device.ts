/**
 * The worker device for policies on WebAssembly: this package's kernels where they are faster,
 * otherwise onnxruntime.
 */
import { WaggleError } from "@waggle/protocol";
import { SIMD_LADDER, WASM_LADDER } from "../agreement/self-check.ts";
import { formatOf } from "../backend/cpu/cpu-backend.ts";
import { createWasmBackend } from "../backend/cpu/wasm-backend.ts";
import { createPageModule } from "../backend/cpu/wasm-module.ts";
import type { DecoderBackend } from "../backend/decoder-backend.ts";
import type * as Simd from "../backend/simd/simd-backend.ts";
import { runsOnSimd } from "../backend/simd/simd-models.ts";
import { hasRoomExpanded } from "../expanded-room.ts";
import type { WorkerBackendOptions, WorkerDevice } from "./checked-device.ts";

/**
 * @param openOnnxruntime - default: with the module from the page's files.
 * @param prepareOnnxruntime - begins to fetch and compile it. Default: the same.
 */
export function wasmWorkerDevice(
  openOnnxruntime: WorkerDevice["openBackend"] = createWasmBackend,
  prepareOnnxruntime: () => void = createPageModule.prepare,
): WorkerDevice {
  return {
    kind: "wasm",
    ladder: async (options) => (usesSimd(options) ? SIMD_LADDER : WASM_LADDER),
    formatOf: (options) => (usesSimd(options) ? `${options.dtype} simd` : formatOf(options)),
    prepare: (options) => {
      if (usesSimd(options)) void importSimd().catch(() => undefined);
      else prepareOnnxruntime();
    },
    openBackend: (options) => (usesSimd(options) ? openSimd(options) : openOnnxruntime(options)),
  };
}

function usesSimd(options: WorkerBackendOptions): boolean {
  const { config, sizedAs = config, dtype, threads, adapterStrategy, avoidsSimd } = options;
  const isFloatInThreads = threads > 1 && hasRoomExpanded(sizedAs);
  if (avoidsSimd || adapterStrategy === "merge") return false;
  return runsOnSimd(sizedAs, dtype, isFloatInThreads);
}

/** @throws WaggleError `DEVICE_UNAVAILABLE` (retryable) if the script does not load. */
function importSimd(): Promise<typeof Simd> {
  return import("../backend/simd/simd-backend.ts").catch((cause: unknown) => {
    throw new WaggleError(
      "DEVICE_UNAVAILABLE",
      `cannot load the script with the WebAssembly kernels: ${String(cause)}; serve all files of the build`,
      { cause, retryable: true },
    );
  });
}

async function openSimd(options: WorkerBackendOptions): Promise<DecoderBackend> {
  return (await importSimd()).createSimdBackend(options);
}
