/** Entry of the worker that runs a policy on WebAssembly. */
import type { MessageEndpoint } from "./messages.ts";
import { servePolicy } from "./serve-policy.ts";
import { wasmWorkerDevice } from "./wasm-worker-device.ts";

servePolicy(globalThis as unknown as MessageEndpoint, wasmWorkerDevice());
