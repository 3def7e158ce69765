/** The Policy that runs in a browser. */
export type { AdaptivePolicy } from "./decoder-policy.ts";
export type { AdapterStrategy } from "./ort-session.ts";
