/**
 * onnxruntime's WebAssembly modules as pages load them: two files beside the page's own, which
 * bundlers copy. The loader is imported when it is needed and never bundled: it awaits at its top
 * level, which the format that workers are bundled into lacks, and it starts its threads from its own
 * file.
 */
import type { CreateOrtModule, OrtWasmModule } from "onnxruntime-web/ort-wasm-simd-threaded.mjs";

/** @returns what throws what the import or the module throws. */
export function moduleFrom<M extends OrtWasmModule>(loader: URL, binary: URL): CreateOrtModule<M> {
  return async (config) => {
    const loaded = (await import(/* @vite-ignore */ loader.href)) as {
      readonly default: CreateOrtModule<M>;
    };
    return loaded.default({ ...config, locateFile: () => binary.href });
  };
}
