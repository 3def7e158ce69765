/** What a worker brings that runs policies on onnxruntime's WebGPU provider. */
import type { WeightFormat } from "@waggle/model";
import * as ort from "onnxruntime-web/webgpu";
import type { DecoderBackend } from "../backend/decoder-backend.ts";
import { createWebgpuBackend } from "../backend/webgpu/webgpu-backend.ts";
import { requestWebgpuDevice } from "../backend/webgpu/webgpu-device.ts";
import type { WorkerBackendOptions, WorkerDevice } from "./checked-device.ts";

export function webgpuWorkerDevice(): WorkerDevice {
  ort.env.logLevel = "error";
  return { kind: "webgpu", activationsOf, openBackend };
}

/** f16 only where the device has it. */
async function activationsOf(dtype: WeightFormat): Promise<"f32" | "f16"> {
  if (dtype !== "f16") return "f32";
  const adapter = await navigator.gpu.requestAdapter();
  return adapter?.features.has("shader-f16") === true ? "f16" : "f32";
}

async function openBackend(options: WorkerBackendOptions): Promise<DecoderBackend> {
  const { config, weights, dtype, contextLength, adapterRank, maxRunTokens } = options;
  return createWebgpuBackend({
    ort,
    device: await requestWebgpuDevice(navigator.gpu, { subgroups: !options.avoidsSubgroups }),
    config,
    weights,
    dtype,
    contextLength,
    adapterRank,
    ...(maxRunTokens !== undefined && { quirks: { maxRunTokens } }),
  });
}
