import { WaggleError } from "@waggle/protocol";
import { expect, test } from "vitest";
import { chooseDevice } from "./browser-device.ts";
import type { BrowserGlobals } from "./browser-device.ts";

const info = (vendor: string, architecture: string, isFallbackAdapter = false): GPUAdapterInfo => ({
  __brand: "GPUAdapterInfo",
  vendor,
  architecture,
  device: "",
  description: "",
  isFallbackAdapter,
  subgroupMinSize: 4,
  subgroupMaxSize: 4,
});

const page = (adapter: GPUAdapterInfo | null, crossOriginIsolated = true): BrowserGlobals => ({
  navigator: {
    hardwareConcurrency: 8,
    gpu: { requestAdapter: () => Promise.resolve(adapter && { info: adapter }) },
  },
  crossOriginIsolated,
});

const withoutWebgpu: BrowserGlobals = {
  navigator: { hardwareConcurrency: 3 },
  crossOriginIsolated: true,
};

const offered = (threads: number): number => threads;

test.each([
  ["a hardware adapter is taken", page(info("nvidia", "ada")), "webgpu", "nvidia/ada"],
  ["SwiftShader is not taken", page(info("google", "swiftshader")), "wasm", "wasm x4"],
  ["a fallback adapter is not taken", page(info("intel", "x", true)), "wasm", "wasm x4"],
  ["without an adapter WASM is taken", page(null), "wasm", "wasm x4"],
  ["without WebGPU WASM is taken", withoutWebgpu, "wasm", "wasm x2"],
  ["without isolation there is one thread", page(null, false), "wasm", "wasm x1"],
])("auto: %s", async (_, globals, device, description) => {
  expect(await chooseDevice("auto", offered, globals)).toMatchObject({ device, description });
});

test("webgpu accepts a software adapter and names it", async () => {
  const chosen = await chooseDevice("webgpu", offered, page(info("google", "swiftshader")));
  expect(chosen).toMatchObject({ device: "webgpu", description: "google/swiftshader" });
});

test.each([page(null), withoutWebgpu])("webgpu without an adapter is refused", async (globals) => {
  const error = await chooseDevice("webgpu", offered, globals).catch((e: unknown) => e);
  expect(WaggleError.is(error, "DEVICE_UNAVAILABLE")).toBe(true);
});

test("wasm requests no adapter, and uses the given threads only with isolation", async () => {
  const navigator = {
    gpu: {
      requestAdapter: () => {
        throw new Error("requestAdapter must not be called");
      },
    },
  };
  const isolated = { navigator, crossOriginIsolated: true };
  expect((await chooseDevice("wasm", () => 3, isolated)).threads).toBe(3);
  expect((await chooseDevice("wasm", () => 3, { navigator })).threads).toBe(1);
});
