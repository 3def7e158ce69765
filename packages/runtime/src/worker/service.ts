/**
 * Entry of a service worker that runs a policy on onnxruntime's WebGPU provider. There is none for
 * WASM: the loader of that module awaits at its top level, which service workers refuse; that
 * of WebGPU is also a part of onnxruntime's JavaScript, without.
 */
import { createApiGraph } from "../backend/webgpu/api-graph.ts";
import { servePages } from "./service-host.ts";
import type { ServiceScope } from "./service-host.ts";
import { webgpuWorkerDevice } from "./webgpu-worker-device.ts";

servePages(globalThis as unknown as ServiceScope, webgpuWorkerDevice(createApiGraph));
