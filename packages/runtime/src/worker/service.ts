/**
 * Entry of a service worker that runs a policy on onnxruntime's WebGPU provider. WASM has no such
 * entry: its module's loader has a top-level await, which service workers refuse; WebGPU's loader
 * is also part of onnxruntime's JavaScript, without the await.
 */
import { createApiGraph } from "../backend/webgpu/api-graph.ts";
import { servePages } from "./service-host.ts";
import type { ServiceScope } from "./service-host.ts";
import { webgpuWorkerDevice } from "./webgpu-worker-device.ts";

servePages(globalThis as unknown as ServiceScope, webgpuWorkerDevice(createApiGraph));
