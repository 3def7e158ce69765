/** TrainEngine: per-token outputs forward, gradients from derivatives backward, AdamW. */
export { createOnnxEngine } from "./onnx-engine.ts";
export type { OnnxEngineOptions } from "./onnx-engine.ts";
export type { TfjsDevice } from "./tfjs-backend.ts";
export { createTfjsEngine } from "./tfjs-engine.ts";
export type { TfjsEngineOptions } from "./tfjs-engine.ts";
