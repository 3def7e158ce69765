/** The Policy that runs in a browser. */
export { createBrowserPolicy } from "./browser-policy.ts";
export type { BrowserPolicyOptions } from "./browser-policy.ts";
export type { AdaptivePolicy } from "./decoder-policy.ts";
export type { AdapterStrategy } from "./ort-session.ts";
export type { WorkerHandle } from "./worker-client.ts";
export type { BrowserDevice } from "./worker/messages.ts";
