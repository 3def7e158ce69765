/** Checks whether a model can run at all, before its weights are fetched. */
import type { DecoderConfig } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import { contextLengthFor } from "../limits.ts";
import { chooseDevice } from "../browser-device.ts";
import { modelMemory, wasmLimits, webgpuLimits } from "./model-memory.ts";
import type {
  DeviceMemoryOptions,
  MemoryLimits,
  ModelMemory,
  ModelMemoryOptions,
} from "./model-memory.ts";

/**
 * Refuses a model that cannot run, before its weights are fetched.
 * @throws WaggleError `MODEL_TOO_LARGE` with the size, the limit, and what would fit.
 */
export function assertModelFits(config: DecoderConfig, options: ModelMemoryOptions): void {
  const { limits } = options;
  if (limits === undefined) return;
  const memory = modelMemory(config, options);
  if (fits(memory, limits)) return;
  const contextLength = contextLengthFor(config, options.contextLength);
  const isTotal = memory.total > limits.totalBytes;
  const [needed, limit, what] = isTotal
    ? [memory.total, limits.totalBytes, limits.description]
    : [memory.largestBuffer, limits.bufferBytes ?? 0, "the device's largest buffer"];
  throw new WaggleError(
    "MODEL_TOO_LARGE",
    `the model needs ${gigabytes(needed)} as ${options.dtype} with a context of ${contextLength}, the limit is ${gigabytes(limit)} (${what}); ${advice(config, options, limits)}`,
  );
}

/**
 * The memory options for running on this page's device.
 * @throws WaggleError `DEVICE_UNAVAILABLE` if `webgpu` is requested and there is no adapter.
 */
export async function onDevice(asked: DeviceMemoryOptions): Promise<ModelMemoryOptions> {
  const { dtype = "f32", contextLength } = asked;
  const { device } = await chooseDevice(asked.device, () => 1, globalThis);
  const { deviceMemory } = navigator as { deviceMemory?: number };
  const adapter = device === "wasm" ? null : await navigator.gpu.requestAdapter();
  const hasFloat16 = adapter?.features.has("shader-f16") === true;
  const { maxBufferSize = 0, maxStorageBufferBindingSize = 0 } = adapter?.limits ?? {};
  return {
    dtype: dtype === "f16" && !hasFloat16 ? "f32" : dtype,
    ...(contextLength !== undefined && { contextLength }),
    limits:
      adapter === null
        ? wasmLimits(deviceMemory)
        : webgpuLimits({ maxBufferSize, maxStorageBufferBindingSize, hasFloat16 }, deviceMemory),
  };
}

function fits(memory: ModelMemory, { totalBytes, bufferBytes }: MemoryLimits): boolean {
  return (
    memory.total <= totalBytes && (bufferBytes === null || memory.largestBuffer <= bufferBytes)
  );
}

/** Suggests the most precise format that fits, a shorter context, or another model. */
function advice(config: DecoderConfig, options: ModelMemoryOptions, limits: MemoryLimits): string {
  const lower = limits.formats.slice(limits.formats.indexOf(options.dtype) + 1);
  for (const dtype of lower) {
    const memory = modelMemory(config, { ...options, dtype });
    if (fits(memory, limits)) return `${dtype} (${gigabytes(memory.total)}) fits`;
  }
  const last = limits.formats.at(-1) ?? options.dtype;
  const contextLength = contextLengthFor(config, options.contextLength);
  for (let length = contextLength / 2; length >= 512; length /= 2) {
    const shorter = { ...options, dtype: last, contextLength: Math.floor(length) };
    if (fits(modelMemory(config, shorter), limits)) {
      return `${last} with a context of ${Math.floor(length)} fits`;
    }
  }
  return "use a smaller model";
}

function gigabytes(bytes: number): string {
  const value = bytes / 2 ** 30;
  return value >= 1 ? `${value.toFixed(1)} GB` : `${Math.ceil(bytes / 2 ** 20)} MB`;
}
