/**
 * Chooses a provider for device `auto`: a GPU if there is one, else native code, else WebAssembly.
 * Never chooses a software adapter, which is a hundred times slower than native code.
 */
import { existsSync } from "node:fs";
import { WaggleError } from "@waggle/protocol";
import { isCudaInstalled } from "./cuda-libraries.ts";
import { openOnnxDevice } from "./onnx-device.ts";
import type { OnnxDevice, OnnxProvider } from "./onnx-device.ts";
import { webGpuAdapter } from "./webgpu-adapter.ts";
import type { WebGpuAdapter } from "./webgpu-adapter.ts";

/** What the choice depends on; tests pass other machines. */
export type OnnxMachine = {
  readonly open: (provider: OnnxProvider, threads: number) => Promise<OnnxDevice>;
  /** The WebGPU adapter, if the machine may have one. */
  readonly adapter: () => Promise<WebGpuAdapter | undefined>;
  /** Whether CUDA's libraries are installed with onnxruntime-node. */
  readonly hasCuda: () => boolean;
};

const THIS_MACHINE: OnnxMachine = {
  open: openOnnxDevice,
  // Dawn complains on stderr without a driver, so it is only asked where there may be a GPU.
  adapter: async () => (mayHaveGpu() ? webGpuAdapter() : undefined),
  hasCuda: isCudaInstalled,
};

/**
 * The first that starts of CUDA, WebGPU on hardware, the native CPU provider and WebAssembly.
 * @throws WaggleError `DEVICE_UNAVAILABLE` if none starts, with the reasons of all.
 */
export async function chooseOnnxDevice(
  threads: number,
  machine: OnnxMachine = THIS_MACHINE,
): Promise<OnnxDevice> {
  const reasons: string[] = [];
  for (const provider of ["cuda", "webgpu", "cpu", "wasm"] as const) {
    if (provider === "cuda" && !machine.hasCuda()) continue;
    if (provider === "webgpu" && (await machine.adapter())?.isSoftware !== false) continue;
    try {
      return await machine.open(provider, threads);
    } catch (error) {
      reasons.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new WaggleError(
    "DEVICE_UNAVAILABLE",
    `no provider of onnxruntime starts: ${reasons.join(" | ")}; install onnxruntime-node for this machine`,
  );
}

function mayHaveGpu(): boolean {
  const { platform } = process;
  return platform !== "linux" || ["/dev/dri", "/dev/nvidia0", "/dev/dxg"].some(existsSync);
}
