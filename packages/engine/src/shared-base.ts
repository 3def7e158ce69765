/** Opens a base for several models on a device, as `createEngine` does for one model. */
import type { SharedBase } from "@waggle/protocol";
import { isEngineUrl, readWhole, requirePrecision } from "./create-engine.ts";
import type { EngineOptions } from "./create-engine.ts";
import { loadTensorflow } from "./load-tensorflow.ts";
import { openOnnxBase } from "./onnx/onnx-engine.ts";
import { openRemoteBase } from "./remote/remote-base.ts";

/** Options of an engine, without those of a single model. */
export type SharedBaseOptions = Omit<EngineOptions, "trains" | "adapter" | "valueHead">;

/**
 * Loads the base for a device once; on a server, the server holds it.
 * @throws WaggleError as `createEngine` does.
 */
export async function openSharedBase(options: SharedBaseOptions): Promise<SharedBase> {
  const { device, threads, server, ...shared } = options;
  requirePrecision(device, options.precision);
  if (isEngineUrl(device)) {
    return openRemoteBase({ ...server, ...shared, ...(await readWhole(options)), url: device });
  }
  if (device === "reference-wasm" || device === "reference-webgpu") {
    const { openTfjsBase } = await loadTensorflow(() => import("./tfjs/tfjs-engine.ts"));
    return openTfjsBase({
      ...shared,
      ...(await readWhole(options)),
      device: device === "reference-wasm" ? "wasm" : "webgpu",
    });
  }
  return openOnnxBase({ ...shared, device, ...(threads === undefined ? {} : { threads }) });
}
