/** What a check opens in place of the model, and when an earlier result is reused. */
import type { DecoderConfig } from "@waggle/model";
import createModule from "onnxruntime-web/ort-wasm-simd-threaded.mjs";
import { expect, test } from "vitest";
import { formatOf } from "../backend/cpu/cpu-backend.ts";
import { createWasmBackend } from "../backend/cpu/wasm-backend.ts";
import { TINY_CONFIG } from "../tiny-decoder.fixture.ts";
import { checkDevice } from "./checked-device.ts";
import type { WorkerBackendOptions, WorkerDevice } from "./checked-device.ts";
import { workerOptions } from "./worker-options.fixture.ts";

/** 400 M parameters: too large to be expanded. Its weights are never read. */
const LARGE: DecoderConfig = { ...TINY_CONFIG, vocabularySize: 4e8 / TINY_CONFIG.width };

async function check(config: DecoderConfig, known = {}) {
  const kernels: string[] = [];
  const device: WorkerDevice = {
    kind: "wasm",
    formatOf,
    openBackend: async (options: WorkerBackendOptions) => {
      const backend = await createWasmBackend({ ...options, createModule });
      kernels.push(backend.kernels);
      return backend;
    },
  };
  const options = workerOptions({ config, contextLength: config.contextLength });
  const { check, release } = await checkDevice(device, options, "this", known);
  await release();
  return { ...check, kernels };
}

test("quantized products are checked for a large model and not for a small one", async () => {
  const small = await check(TINY_CONFIG);
  expect(small.kernels).toEqual([expect.stringMatching(/ expanded$/)]);
  expect(small.result).toEqual({ verdict: "ok" });
  const known = { [small.key]: small.result };
  expect((await check(TINY_CONFIG, known)).kernels).toEqual([]);
  const large = await check(LARGE, known);
  expect(large.kernels).toEqual([expect.not.stringContaining("expanded")]);
  expect(large.result).toEqual({ verdict: "ok" });
});
