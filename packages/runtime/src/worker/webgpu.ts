/** Entry of the worker that runs a policy on onnxruntime's WebGPU provider. */
import type { MessageEndpoint } from "./messages.ts";
import { servePolicy } from "./serve-policy.ts";
import { webgpuWorkerDevice } from "./webgpu-worker-device.ts";

// onnxruntime starts its threads from the file it was bundled into, which may be this one.
const scope = globalThis as unknown as MessageEndpoint & { readonly name: string };
if (!scope.name.startsWith("em-pthread")) servePolicy(scope, webgpuWorkerDevice());
