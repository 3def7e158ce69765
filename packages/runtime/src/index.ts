/** The Policy that runs in a browser. */
export { assetsWorker } from "./assets-worker.ts";
export { createBrowserPolicy } from "./browser-policy.ts";
export type { BrowserPolicyOptions } from "./browser-policy.ts";
export type { AdaptivePolicy, Cancellable, Session, SessionSnapshot } from "./session/session.ts";
export { startEarlyWorker } from "./early-worker.ts";
export { fetchAdapter } from "./fetch-adapter.ts";
export type { FetchAdapterOptions } from "./fetch-adapter.ts";
export { createModelStore } from "./store/model-store.ts";
export type {
  LoadOptions,
  LoadProgress,
  ModelStore,
  ModelStoreOptions,
} from "./store/model-store.ts";
export { readFormatFiles } from "./store/format-files.ts";
export { loadModel } from "./store/load-model.ts";
export type { LoadModelOptions } from "./store/load-model.ts";
export { openModel } from "./store/loaded-model.ts";
export type { LoadedModel, ModelReader } from "./store/loaded-model.ts";
export { modelMemory, wasmLimits, webgpuLimits } from "./store/model-memory.ts";
export type { MemoryLimits, ModelMemory, ModelMemoryOptions } from "./store/model-memory.ts";
export { deleteModel, listModels } from "./store/model-records.ts";
export type { StoredModel } from "./store/model-records.ts";
export { parseModelSource } from "./store/model-source.ts";
export type { ModelSource } from "./store/model-source.ts";
export type { ModelProgress } from "./store/progress-sum.ts";
export type { AdapterStrategy } from "./backend/cpu/cpu-backend.ts";
export { serviceWorkerHost } from "./service-worker-host.ts";
export type { WorkerHandle } from "./worker-client.ts";
export type { BrowserDevice, ModelFiles } from "./worker/messages.ts";
