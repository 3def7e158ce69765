/** The Policy that runs in a browser. */
export { createBrowserPolicy } from "./browser-policy.ts";
export type { BrowserPolicyOptions } from "./browser-policy.ts";
export type { AdaptivePolicy } from "./decoder-policy.ts";
export { createModelStore } from "./model-store.ts";
export type {
  LoadOptions,
  LoadProgress,
  ModelStore,
  ModelStoreOptions,
  ObjectCaches,
} from "./model-store.ts";
export type { AdapterStrategy } from "./ort-session.ts";
export type { WorkerHandle } from "./worker-client.ts";
export type { BrowserDevice } from "./worker/messages.ts";
