/**
 * Which provider a training run gets where none was asked for: a GPU where there is one, else native
 * code, else WebAssembly. A software adapter is never chosen: it is slower than the processor's own
 * code by a factor of a hundred.
 */
import { existsSync } from "node:fs";
import { WaggleError } from "@waggle/protocol";
import { isCudaInstalled } from "./cuda-libraries.ts";
import { openOnnxDevice } from "./onnx-device.ts";
import type { OnnxDevice, OnnxProvider } from "./onnx-device.ts";
import { webGpuAdapter } from "./webgpu-adapter.ts";
import type { WebGpuAdapter } from "./webgpu-adapter.ts";

/** What the choice asks; tests put other machines in its place. */
export type OnnxMachine = {
  readonly open: (provider: OnnxProvider, threads: number) => Promise<OnnxDevice>;
  /** The WebGPU adapter, where there is a chance of one. */
  readonly adapter: () => Promise<WebGpuAdapter | undefined>;
  /** Whether CUDA's libraries lie beside onnxruntime-node. */
  readonly hasCuda: () => boolean;
};

const THIS_MACHINE: OnnxMachine = {
  open: openOnnxDevice,
  // Dawn complains on stderr where there is no driver: only asked where there is a device.
  adapter: async () => (mayHaveGpu() ? webGpuAdapter() : undefined),
  hasCuda: isCudaInstalled,
};

/**
 * The first that starts of CUDA, WebGPU on hardware, the native CPU provider, WebAssembly.
 * @throws WaggleError `DEVICE_UNAVAILABLE` where none starts, with the reasons of all.
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
    `one provider of onnxruntime must start, got none: ${reasons.join(" | ")}; install onnxruntime-node for this machine`,
  );
}

function mayHaveGpu(): boolean {
  const { platform } = process;
  return platform !== "linux" || ["/dev/dri", "/dev/nvidia0", "/dev/dxg"].some(existsSync);
}
