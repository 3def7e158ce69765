/** Which kernels a model runs on, and what happens if a device computes wrongly on them. */
import type { DecoderConfig } from "@waggle/model";
import createModule from "onnxruntime-web/ort-wasm-simd-threaded.mjs";
import { expect, test } from "vitest";
import { createWasmBackend } from "../backend/cpu/wasm-backend.ts";
import { TINY_CONFIG, tinyAdapter } from "../tiny-decoder.fixture.ts";
import { checkDevice, withCheck } from "./checked-device.ts";
import type { WorkerBackendOptions, WorkerDevice } from "./checked-device.ts";
import { wasmWorkerDevice } from "./wasm-worker-device.ts";
import { workerOptions } from "./worker-options.fixture.ts";

/** A tiny model that stands for one of this many million parameters. */
function sized(
  millions: number,
  changes: Partial<WorkerBackendOptions> = {},
): WorkerBackendOptions {
  return workerOptions({
    sizedAs: { ...TINY_CONFIG, vocabularySize: (millions * 1e6) / TINY_CONFIG.width },
    ...changes,
  });
}

const device = wasmWorkerDevice((options) => createWasmBackend({ ...options, createModule }));

const CASES: readonly (readonly [string, WorkerBackendOptions, "simd" | "onnxruntime"])[] = [
  ["15 M in int8", sized(15), "simd"],
  ["15 M in int4", sized(15, { dtype: "int4" }), "simd"],
  ["15 M in f32", sized(15, { dtype: "f32" }), "onnxruntime"],
  ["1 M in int8", sized(1), "simd"],
  ["7 M in f32", sized(7, { dtype: "f32" }), "simd"],
  ["7 M in f16", sized(7, { dtype: "f16" }), "simd"],
  [
    "1 M in f32, to merge adapters",
    sized(1, { dtype: "f32", adapterStrategy: "merge" }),
    "onnxruntime",
  ],
  ["1 M in f32 in two threads", sized(1, { dtype: "f32", threads: 2 }), "onnxruntime"],
  ["15 M in two threads", sized(15, { threads: 2 }), "onnxruntime"],
  ["400 M in two threads", sized(400, { threads: 2 }), "simd"],
  ["a device on which they are wrong", sized(15, { avoidsSimd: true }), "onnxruntime"],
];

test.each(CASES)("%s", async (_, options, expected) => {
  const backend = await device.openBackend(options);
  expect(backend.kernels).toMatch(expected === "simd" ? /^waggle\/\S+ wasm simd/ : /^onnxruntime/);
  expect(device.formatOf?.(options).endsWith(" simd")).toBe(expected === "simd");
  await backend.dispose();
});

test("onnxruntime's binary is fetched early for models that run on it, and for no other", () => {
  let prepared = 0;
  const preparing = wasmWorkerDevice(undefined, () => void prepared++);
  preparing.prepare?.(sized(7, { dtype: "f32" }));
  preparing.prepare?.(sized(15));
  expect(prepared).toBe(0);
  preparing.prepare?.(sized(15, { dtype: "f32" }));
  expect(prepared).toBe(1);
});

test("sliding layers are left to onnxruntime", () => {
  const config: DecoderConfig = {
    ...TINY_CONFIG,
    modelType: "gemma3_text",
    vocabularySize: 15e6 / TINY_CONFIG.width,
  };
  expect(device.formatOf?.(sized(15, { config, sizedAs: config }))).not.toContain("simd");
});

test("adapters cannot be merged into quantized weights", async () => {
  const backend = await device.openBackend(sized(15, { adapterStrategy: "merge" }));
  const opening = backend.open(tinyAdapter(1));
  await expect(opening).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  await backend.dispose();
});

test("a device that computes wrongly on these kernels uses onnxruntime", async () => {
  const options = sized(15);
  const faulty: WorkerDevice = {
    ...device,
    openBackend: async (wanted) => {
      const backend = await device.openBackend(wanted);
      if (wanted.avoidsSimd) return backend;
      // As if every adapter were ignored.
      return {
        dtype: backend.dtype,
        kernels: backend.kernels,
        open: () => backend.open(null),
        memory: () => backend.memory(),
        dispose: () => backend.dispose(),
      };
    },
  };
  const model = { ...options, config: options.sizedAs ?? options.config };
  const { check, release } = await checkDevice(faulty, model, "this", {});
  await release();
  expect(check.result).toMatchObject({ verdict: "workaround", workaround: { simd: false } });
  expect(withCheck(model, check).avoidsSimd).toBe(true);
  const right = await checkDevice(device, model, "this", {});
  await right.release();
  expect(right.check.result).toEqual({ verdict: "ok" });
});
