/** Creates the workers that a page's bundler copied. */
import type { WorkerHandle } from "./worker-client.ts";
import type { BrowserDevice } from "./worker/messages.ts";

/** Bundlers look for these literal forms; `.js` resolves to `.ts` when run from source. */
export function createDefaultWorker(device: BrowserDevice): WorkerHandle {
  return device === "webgpu"
    ? new Worker(new URL("./worker/webgpu.js", import.meta.url), { type: "module" })
    : new Worker(new URL("./worker/wasm.js", import.meta.url), { type: "module" });
}
