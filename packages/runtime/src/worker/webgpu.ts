/** Entry of the worker that runs a policy on onnxruntime's WebGPU provider. */
import * as ort from "onnxruntime-web/webgpu";
import { createWebgpuBackend } from "../backend/webgpu/webgpu-backend.ts";
import { requestWebgpuDevice } from "../backend/webgpu/webgpu-device.ts";
import type { MessageEndpoint } from "./messages.ts";
import type { WorkerBackendOptions } from "./open-policy.ts";
import { servePolicy } from "./serve-policy.ts";
import type { DecoderBackend } from "../backend/decoder-backend.ts";

// onnxruntime starts its threads from the file it was bundled into, which may be this one.
const scope = globalThis as unknown as MessageEndpoint & { readonly name: string };
if (!scope.name.startsWith("em-pthread")) {
  ort.env.logLevel = "error";
  servePolicy(scope, { kind: "webgpu", openBackend });
}

async function openBackend(options: WorkerBackendOptions): Promise<DecoderBackend> {
  const { config, weights, dtype, contextLength, adapterRank, maxRunTokens } = options;
  return createWebgpuBackend({
    ort,
    device: await requestWebgpuDevice(navigator.gpu),
    config,
    weights,
    dtype,
    contextLength,
    adapterRank,
    ...(maxRunTokens !== undefined && { quirks: { maxRunTokens } }),
  });
}
