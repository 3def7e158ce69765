/**
 * Loads onnxruntime's WebAssembly modules in pages: two files that bundlers copy next to the page's
 * own. The loader is imported on demand and never bundled, because it has a top-level await, which
 * the workers' bundle format lacks, and starts its threads from its own file. The binary is fetched
 * and compiled once per worker, although a device check and the model each start a module.
 */
import type { CreateOrtModule, OrtWasmModule } from "onnxruntime-web/ort-wasm-simd-threaded.mjs";

const binaries = new Map<string, Promise<WebAssembly.Module>>();

/** @returns a function that rejects with the import's or module's error. */
export function moduleFrom<M extends OrtWasmModule>(loader: URL, binary: URL): CreateOrtModule<M> {
  return async (config) => {
    const [loaded, compiled] = await Promise.all([importLoader<M>(loader), compiledOnce(binary)]);
    const failure = Promise.withResolvers<never>();
    // The loader never settles if instantiation fails.
    const instantiateWasm: NonNullable<typeof config.instantiateWasm> = (imports, receive) => {
      WebAssembly.instantiate(compiled, imports).then(
        (instance) => receive(instance, compiled),
        failure.reject,
      );
      return {};
    };
    return Promise.race([loaded.default({ ...config, instantiateWasm }), failure.promise]);
  };
}

async function importLoader<M extends OrtWasmModule>(
  loader: URL,
): Promise<{ readonly default: CreateOrtModule<M> }> {
  try {
    // Vite, webpack and Turbopack each have a comment that leaves an import to the browser.
    return (await import(
      /* @vite-ignore */ /* webpackIgnore: true */ /* turbopackIgnore: true */ loader.href
    )) as { readonly default: CreateOrtModule<M> };
  } catch (cause) {
    throw notServed(loader, cause);
  }
}

function compiledOnce(binary: URL): Promise<WebAssembly.Module> {
  let compiling = binaries.get(binary.href);
  if (compiling === undefined) {
    compiling = compile(binary);
    binaries.set(binary.href, compiling);
    // A later start tries again.
    compiling.catch(() => binaries.delete(binary.href));
  }
  return compiling;
}

async function compile(binary: URL): Promise<WebAssembly.Module> {
  let response: Response;
  try {
    response = await fetch(binary.href, { credentials: "same-origin" });
  } catch (cause) {
    throw notServed(binary, cause);
  }
  if (!response.ok) throw notServed(binary, `status ${response.status}`);
  // Only the right content type can be compiled while it arrives.
  if (response.headers.get("content-type") === "application/wasm") {
    return WebAssembly.compileStreaming(response);
  }
  return WebAssembly.compile(await response.arrayBuffer());
}

function notServed(file: URL, reason: unknown): Error {
  return new Error(`${file.href} is not served (${String(reason).slice(0, 150)})`);
}
