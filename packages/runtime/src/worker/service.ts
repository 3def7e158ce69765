/**
 * Entry of a service worker that runs a policy on onnxruntime's WebGPU provider. There is none for
 * WASM: the loader of that module awaits at its top level, which service workers refuse.
 */
import { servePages } from "./service-host.ts";
import type { ServiceScope } from "./service-host.ts";
import { webgpuWorkerDevice } from "./webgpu-worker-device.ts";

servePages(globalThis as unknown as ServiceScope, webgpuWorkerDevice());
