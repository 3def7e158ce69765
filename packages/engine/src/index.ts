/**
 * TrainEngine: per-token outputs forward, gradients from derivatives backward, AdamW. `createEngine`
 * loads TensorFlow.js only for the devices that need it.
 */
export { createEngine, ENGINE_DEVICES, isEngineUrl } from "./create-engine.ts";
export type { EngineDevice, EngineOptions, EngineUrl } from "./create-engine.ts";
export { requireCuda } from "./onnx/cuda-libraries.ts";
export { openSharedBase } from "./shared-base.ts";
export type { SharedBaseOptions } from "./shared-base.ts";
export { checkMemory, planMemory } from "./memory/memory-plan.ts";
export type {
  Checkpointing,
  MemoryPlan,
  MemoryPlanOptions,
  Precision,
} from "./memory/memory-plan.ts";
export { createOnnxEngine } from "./onnx/onnx-engine.ts";
export type { OnnxEngineOptions } from "./onnx/onnx-engine.ts";
export { requireTrainable } from "./decoder/trainable-model.ts";
export { createRemoteEngine } from "./remote/create-remote-engine.ts";
export type { RemoteEngineOptions, RemoteServerOptions } from "./remote/create-remote-engine.ts";
