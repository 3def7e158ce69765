/** Entry of the worker that runs a policy on WebAssembly. */
import { createPageModule } from "../backend/cpu/wasm-module.ts";
import type { MessageEndpoint } from "./messages.ts";
import { servePolicy } from "./serve-policy.ts";
import { wasmWorkerDevice } from "./wasm-worker-device.ts";

const scope = globalThis as unknown as MessageEndpoint;
servePolicy(scope, wasmWorkerDevice());
// The page may still load the model.
createPageModule.prepare();
