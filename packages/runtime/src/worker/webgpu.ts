/** Entry of the worker that runs a policy on onnxruntime's WebGPU provider. */
import { createModuleGraph } from "../backend/webgpu/module-graph.ts";
import type { MessageEndpoint } from "./messages.ts";
import { servePolicy } from "./serve-policy.ts";
import { webgpuWorkerDevice } from "./webgpu-worker-device.ts";

servePolicy(globalThis as unknown as MessageEndpoint, webgpuWorkerDevice(createModuleGraph));
