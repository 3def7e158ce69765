/**
 * Gives access to the module and session that the runtime opened, for a loop that drives them
 * itself.
 */
import type { CreateOrtModule, OrtWasmModule } from "onnxruntime-web/ort-wasm-simd-threaded.mjs";
import { createPageModule } from "../../src/backend/cpu/wasm-module.ts";

export class KeptModule {
  readonly #modules: OrtWasmModule[] = [];
  #session = 0;

  /** Pass this to the backend to open. Keeps the module opened last. */
  readonly createModule: CreateOrtModule = async (config) => {
    const module = await createPageModule(config);
    const open = module._OrtCreateSession.bind(module);
    module._OrtCreateSession = async (...parameters) => {
      this.#session = await open(...parameters);
      return this.#session;
    };
    this.#modules.push(module);
    return module;
  };

  get module(): OrtWasmModule {
    if (this.#modules.length === 0) throw new Error("no backend has been opened");
    return this.#modules.at(-1) as OrtWasmModule;
  }

  get session(): number {
    return this.#session;
  }
}
