/** onnxruntime's WebAssembly module with the WebGPU provider, shared by everything on this thread. */
import type { OrtWebgpuModule } from "onnxruntime-web/ort-wasm-simd-threaded.asyncify.mjs";
import { OrtModule } from "../ort-module.ts";
import { moduleFrom } from "../page-module.ts";

let started: Promise<OrtModule<OrtWebgpuModule>> | null = null;

/**
 * The module, started at the first call, and again after a trap.
 *
 * @throws WaggleError `DEVICE_UNAVAILABLE` if it does not load.
 */
export async function webgpuModule(): Promise<OrtModule<OrtWebgpuModule>> {
  const before = started;
  const running = await before?.catch(() => null);
  if (running != null && !running.isLost) return running;
  // If several callers find none, the first one starts it.
  if (started === before) started = start();
  return started as Promise<OrtModule<OrtWebgpuModule>>;
}

async function start(): Promise<OrtModule<OrtWebgpuModule>> {
  // Bundlers look for these literal forms.
  const createModule = moduleFrom<OrtWebgpuModule>(
    new URL("onnxruntime-web/ort-wasm-simd-threaded.asyncify.mjs", import.meta.url),
    new URL("onnxruntime-web/ort-wasm-simd-threaded.asyncify.wasm", import.meta.url),
  );
  // The host computes almost nothing.
  const ort = await OrtModule.start(createModule, 1);
  ort.guard((m) => {
    m.asyncInit();
    m.webgpuInit(() => undefined);
  });
  return ort;
}
