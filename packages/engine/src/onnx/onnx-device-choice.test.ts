import { WaggleError } from "@waggle/protocol";
import { expect, test } from "vitest";
import { chooseOnnxDevice } from "./onnx-device-choice.ts";
import type { OnnxMachine } from "./onnx-device-choice.ts";
import type { OnnxDevice, OnnxProvider } from "./onnx-device.ts";
import { isSoftwareName } from "./webgpu-adapter.ts";

const HARDWARE = { name: "nvidia/ampere", description: "", isSoftware: false };
const SOFTWARE = { name: "google/swiftshader", description: "", isSoftware: true };

/** A machine on which only the given providers start. */
function machine(works: readonly OnnxProvider[], more: Partial<OnnxMachine> = {}): OnnxMachine {
  return {
    open: async (provider) => {
      if (works.includes(provider)) return { provider } as OnnxDevice;
      throw new WaggleError("DEVICE_UNAVAILABLE", `${provider} is broken`);
    },
    adapter: async () => undefined,
    hasCuda: () => false,
    ...more,
  };
}

const everything = ["cuda", "webgpu", "cpu", "wasm"] as const;

test.each<[OnnxProvider, string, OnnxMachine]>([
  [
    "cuda",
    "installed",
    machine(everything, { hasCuda: () => true, adapter: async () => HARDWARE }),
  ],
  ["webgpu", "a GPU without CUDA", machine(everything, { adapter: async () => HARDWARE })],
  ["cpu", "a software adapter", machine(everything, { adapter: async () => SOFTWARE })],
  ["cpu", "no adapter", machine(everything)],
  [
    "cpu",
    "CUDA and WebGPU that do not start",
    {
      ...machine(["cpu", "wasm"]),
      hasCuda: () => true,
      adapter: async () => HARDWARE,
    },
  ],
  ["wasm", "no native library", machine(["wasm"])],
])("%s is chosen with %s", async (provider, _, of) => {
  expect((await chooseOnnxDevice(1, of)).provider).toBe(provider);
});

test("if no provider starts, the error gives the reasons of all", async () => {
  await expect(chooseOnnxDevice(1, machine([]))).rejects.toMatchObject({
    code: "DEVICE_UNAVAILABLE",
    message: expect.stringContaining("cpu is broken | wasm is broken") as string,
  });
});

test("software drivers are recognized by name", () => {
  expect(["google swiftshader", "Mesa llvmpipe (LLVM 15)"].every(isSoftwareName)).toBe(true);
  expect(["nvidia ampere NVIDIA A100", "intel gen-12lp"].some(isSoftwareName)).toBe(false);
});
