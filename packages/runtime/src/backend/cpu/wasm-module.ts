/** onnxruntime's WebAssembly module without GPU providers, from the page's files. */
import type { OrtWasmModule } from "onnxruntime-web/ort-wasm-simd-threaded.mjs";
import { moduleFrom } from "../page-module.ts";
import type { PageModule } from "../page-module.ts";

/** Starts a module with its own memory. */
export const createPageModule: PageModule<OrtWasmModule> = moduleFrom(
  // Bundlers look for these literal forms.
  new URL("onnxruntime-web/ort-wasm-simd-threaded.mjs", import.meta.url),
  new URL("onnxruntime-web/ort-wasm-simd-threaded.wasm", import.meta.url),
);
