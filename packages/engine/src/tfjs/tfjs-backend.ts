/**
 * Starts a TensorFlow.js backend in Node and runs work on it. The library has one current backend per
 * process, so the work of all engines goes through one queue here.
 */
import * as tf from "@tensorflow/tfjs";
import { boundary, WaggleError } from "@waggle/protocol";
import { loadTensorflow } from "../load-tensorflow.ts";

/** `webgpu` is Dawn on any Vulkan, Metal or D3D12 driver; `cpu` is plain JavaScript, for tests. */
export type TfjsDevice = "wasm" | "webgpu" | "cpu";

let last: Promise<unknown> = Promise.resolve();

/** Runs `work` with this backend current, and no other work of this module in between. */
export function onBackend<T>(device: TfjsDevice, work: () => Promise<T>): Promise<T> {
  const result = last.then(async () => {
    await tf.setBackend(device);
    return work();
  });
  last = result.catch(() => {});
  return result;
}

/**
 * Loads the backend once.
 * @returns its label for reports.
 * @throws WaggleError `DEVICE_UNAVAILABLE` if WebGPU finds no adapter.
 */
export async function startBackend(device: TfjsDevice): Promise<string> {
  // suppresses the library's advertising of faster packages
  tf.env().set("PROD", true);
  switch (device) {
    case "wasm":
      await loadTensorflow(() => import("@tensorflow/tfjs-backend-wasm"));
      return ready(device, "tfjs wasm x1");
    case "cpu":
      return ready(device, "tfjs cpu");
    case "webgpu":
      return ready(device, `tfjs webgpu ${await startWebGpu()}`);
  }
}

async function ready(device: TfjsDevice, label: string): Promise<string> {
  const isReady = await onBackend(device, async () => tf.getBackend() === device);
  if (!isReady)
    throw unavailable(
      `the ${device} backend of TensorFlow.js could not start`,
      "the library reported an error",
    );
  return label;
}

/** The library looks for `navigator.gpu` and WebGPU's constants on the global object. */
async function startWebGpu(): Promise<string> {
  const holder: { gpu?: GPU } = globalThis.navigator;
  if (holder.gpu === undefined) {
    const { create, globals } = await import("webgpu");
    Object.assign(globalThis, globals);
    Object.defineProperty(holder, "gpu", { value: create([]), configurable: true });
  }
  const adapter = await boundary("device", async () => holder.gpu?.requestAdapter() ?? null);
  if (adapter === null) throw unavailable("WebGPU is unavailable", "no adapter");
  await loadTensorflow(() => import("@tensorflow/tfjs-backend-webgpu"));
  const { vendor, architecture } = adapter.info;
  return `${vendor}/${architecture}`;
}

function unavailable(rule: string, value: string): WaggleError {
  return new WaggleError(
    "DEVICE_UNAVAILABLE",
    `${rule}: ${value}; install a Vulkan driver or use the device "wasm"`,
  );
}
