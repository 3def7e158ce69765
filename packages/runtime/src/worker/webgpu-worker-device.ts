/** The worker device for policies on onnxruntime's WebGPU provider. */
import type { WeightFormat } from "@waggle/model";
import { WEBGPU_LADDER } from "../agreement/self-check.ts";
import type { KernelWorkaround } from "../agreement/self-check.ts";
import { DeviceListeners } from "../backend/webgpu/device-listeners.ts";
import { createWebgpuBackend } from "../backend/webgpu/webgpu-backend.ts";
import { requestWebgpuDevice } from "../backend/webgpu/webgpu-device.ts";
import type { CreateWebgpuGraph } from "../backend/webgpu/webgpu-graph.ts";
import type { WorkerDevice } from "./checked-device.ts";

export function webgpuWorkerDevice(createGraph: CreateWebgpuGraph): WorkerDevice {
  const devices = new OpenDevices();
  return {
    kind: "webgpu",
    activationsOf,
    ladder,
    openBackend: async (options) => {
      const { config, weights, dtype, contextLength, adapterRank, maxRunTokens } = options;
      return createWebgpuBackend({
        createGraph,
        device: await devices.open(!options.avoidsSubgroups),
        config,
        weights,
        dtype,
        contextLength,
        adapterRank,
        adapters: options.startsAdaptable === true,
        ...(maxRunTokens !== undefined && { quirks: { maxRunTokens } }),
      });
    },
  };
}

/** Keeps the check's device for the model, so that kernels are compiled once. */
class OpenDevices {
  #last: { readonly device: GPUDevice; readonly subgroups: boolean; isLost: boolean } | null = null;

  async open(subgroups: boolean): Promise<GPUDevice> {
    const last = this.#last;
    if (last?.subgroups === subgroups && !last.isLost && DeviceListeners.hasUsers(last.device)) {
      return last.device;
    }
    const device = await requestWebgpuDevice(navigator.gpu, { subgroups });
    const opened = { device, subgroups, isLost: false };
    void device.lost.then(() => {
      opened.isLost = true;
    });
    this.#last = opened;
    return device;
  }
}

/** Invocations of a subgroup. On all adapters tried with fewer, long runs were wrong. */
const FEWEST_IN_SUBGROUP = 16;

/** If subgroups are small, skips variants known to fail, to avoid compiling them. */
async function ladder(): Promise<readonly KernelWorkaround[]> {
  const adapter = await navigator.gpu.requestAdapter();
  const size = adapter?.info.subgroupMaxSize ?? FEWEST_IN_SUBGROUP;
  const isSmall = adapter?.features.has("subgroups") === true && size < FEWEST_IN_SUBGROUP;
  return isSmall ? WEBGPU_LADDER.slice(1) : WEBGPU_LADDER;
}

/** f16 only if the device has it. */
async function activationsOf(dtype: WeightFormat): Promise<"f32" | "f16"> {
  if (dtype !== "f16") return "f32";
  const adapter = await navigator.gpu.requestAdapter();
  return adapter?.features.has("shader-f16") === true ? "f16" : "f32";
}
