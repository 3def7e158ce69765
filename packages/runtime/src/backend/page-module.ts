/**
 * Loads onnxruntime's WebAssembly modules in pages: two files that bundlers copy next to the page's
 * own. The loader is imported on demand and never bundled, because it has a top-level await, which
 * the workers' bundle format lacks, and starts its threads from its own file.
 */
import type { CreateOrtModule, OrtWasmModule } from "onnxruntime-web/ort-wasm-simd-threaded.mjs";

/** @returns a function that rejects with the import's or module's error. */
export function moduleFrom<M extends OrtWasmModule>(loader: URL, binary: URL): CreateOrtModule<M> {
  return async (config) => {
    // Vite, webpack and Turbopack each have a comment that leaves an import to the browser.
    const loaded = (await import(
      /* @vite-ignore */ /* webpackIgnore: true */ /* turbopackIgnore: true */ loader.href
    )) as { readonly default: CreateOrtModule<M> };
    return loaded.default({ ...config, locateFile: () => binary.href });
  };
}
