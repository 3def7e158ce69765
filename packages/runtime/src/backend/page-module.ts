/**
 * Loads onnxruntime's WebAssembly modules in pages: two files that bundlers copy next to the page's
 * own. The loader is imported on demand and never bundled, because it has a top-level await, which
 * the workers' bundle format lacks, and starts its threads from its own file. The binary is fetched
 * and compiled once, although a device check and the model each start a module.
 */
import type { CreateOrtModule, OrtWasmModule } from "onnxruntime-web/ort-wasm-simd-threaded.mjs";

/** Starts modules. Rejects with the import's or module's error. */
export type PageModule<M extends OrtWasmModule> = CreateOrtModule<M> & {
  /** Begins to fetch and compile the binary before the first start. Never throws. */
  readonly prepare: () => void;
};

export function moduleFrom<M extends OrtWasmModule>(loader: URL, binary: URL): PageModule<M> {
  let compiling: Promise<WebAssembly.Module> | null = null;
  const compiled = (): Promise<WebAssembly.Module> =>
    (compiling ??= compile(binary.href).catch((error: unknown) => {
      compiling = null; // the next start tries again
      throw error;
    }));
  const start: CreateOrtModule<M> = async (config) => {
    const [loaded, module] = await Promise.all([
      importLoader<M>(loader, config.numThreads),
      compiled(),
    ]);
    // The loader never settles if instantiation fails.
    return new Promise((resolve, reject) => {
      const instantiateWasm: NonNullable<typeof config.instantiateWasm> = (imports, receive) => {
        WebAssembly.instantiate(module, imports).then((one) => receive(one, module), reject);
        return {};
      };
      loaded.default({ ...config, instantiateWasm }).then(resolve, reject);
    });
  };
  return Object.assign(start, { prepare: () => void compiled().catch(() => undefined) });
}

async function importLoader<M extends OrtWasmModule>(
  loader: URL,
  threads: number,
): Promise<{ readonly default: CreateOrtModule<M> }> {
  let address = loader.href;
  if (threads > 1 && loader.origin !== location.origin) {
    // Its threads start from its own address, which must be of this page's origin.
    const bytes = await (await served(address)).arrayBuffer();
    address = URL.createObjectURL(new Blob([bytes], { type: "text/javascript" }));
  }
  // Vite, webpack and Turbopack each have a comment that leaves an import to the browser.
  return (await import(
    /* @vite-ignore */ /* webpackIgnore: true */ /* turbopackIgnore: true */ address
  )) as { readonly default: CreateOrtModule<M> };
}

async function compile(address: string): Promise<WebAssembly.Module> {
  const start = performance.now();
  const response = await served(address);
  // Only the right content type can be compiled while it arrives.
  const module = await (response.headers.get("content-type") === "application/wasm"
    ? WebAssembly.compileStreaming(response)
    : WebAssembly.compile(await response.arrayBuffer()));
  performance.measure("waggle compile", { start });
  return module;
}

async function served(address: string): Promise<Response> {
  const answer = await fetch(address).catch(String);
  if (answer instanceof Response && answer.ok) return answer;
  const reason = answer instanceof Response ? answer.status : answer;
  throw new Error(`${address} is not served (${reason})`);
}
