/** Entry of the worker that runs a policy on onnxruntime's WASM provider. */
import { createWasmBackend } from "../backend/cpu/wasm-backend.ts";
import type { MessageEndpoint } from "./messages.ts";
import { servePolicy } from "./serve-policy.ts";

// onnxruntime starts its threads from the file it was bundled into, which may be this one.
const scope = globalThis as unknown as MessageEndpoint & { readonly name: string };
if (!scope.name.startsWith("em-pthread")) {
  servePolicy(scope, { kind: "wasm", openBackend: createWasmBackend });
}
