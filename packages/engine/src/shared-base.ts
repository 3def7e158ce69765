/** Chooses a base for several models by device, as `createEngine` chooses an engine for one. */
import type { SharedBase } from "@waggle/protocol";
import { isEngineUrl, readWhole, requirePrecision } from "./create-engine.ts";
import type { EngineOptions } from "./create-engine.ts";
import { loadTensorflow } from "./load-tensorflow.ts";
import { openOnnxBase } from "./onnx/onnx-engine.ts";
import { openRemoteBase } from "./remote/remote-base.ts";

/** Those of an engine, without what a model brings. */
export type SharedBaseOptions = Omit<EngineOptions, "trains" | "adapter" | "valueHead">;

/**
 * The base for a device, loaded once; on a server models are the server's.
 * @throws WaggleError as `createEngine`.
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
