/** Entry of the worker that runs a policy on onnxruntime's WASM provider. */
import { createWasmBackend } from "../backend/cpu/wasm-backend.ts";
import { createPageModule } from "../backend/cpu/wasm-module.ts";
import { formatOf } from "../backend/cpu/cpu-backend.ts";
import type { MessageEndpoint } from "./messages.ts";
import { servePolicy } from "./serve-policy.ts";

const scope = globalThis as unknown as MessageEndpoint;
servePolicy(scope, { kind: "wasm", formatOf, openBackend: createWasmBackend });
// The page may still load the model.
createPageModule.prepare();
