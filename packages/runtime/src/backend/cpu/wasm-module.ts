/** onnxruntime's WebAssembly module without providers, of the page's files. */
import type { CreateOrtModule } from "onnxruntime-web/ort-wasm-simd-threaded.mjs";
import { moduleFrom } from "../page-module.ts";

export const createPageModule: CreateOrtModule = (config) =>
  // The literal forms are what bundlers look for.
  moduleFrom(
    new URL("onnxruntime-web/ort-wasm-simd-threaded.mjs", import.meta.url),
    new URL("onnxruntime-web/ort-wasm-simd-threaded.wasm", import.meta.url),
  )(config);
