/**
 * Onnxruntime's WebAssembly module as pages load it: two files beside the page's own, which bundlers
 * copy. Its loader is imported when it is needed and never bundled: it awaits at its top level, which
 * the format that workers are bundled into lacks, and it starts its threads from its own file.
 */
import type { CreateOrtModule } from "onnxruntime-web/ort-wasm-simd-threaded.mjs";

/** @throws what the import or the module throws. */
export const createPageModule: CreateOrtModule = async (config) => {
  // The literal forms are what bundlers look for.
  const loader = new URL("onnxruntime-web/ort-wasm-simd-threaded.mjs", import.meta.url);
  const binary = new URL("onnxruntime-web/ort-wasm-simd-threaded.wasm", import.meta.url);
  const loaded = (await import(/* @vite-ignore */ loader.href)) as {
    readonly default: CreateOrtModule;
  };
  return loaded.default({ ...config, locateFile: () => binary.href });
};
