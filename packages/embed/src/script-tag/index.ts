/**
 * What `waggle assets` bundles into `waggle.js`, for pages without a bundler: `createAgent` and the element, with worker
 * and WASM files from the folder that this script is in.
 */
// First, because it names the folder, which the element needs as soon as it is defined.
export { createAgent } from "./create-agent.ts";
export { WaggleAgentElement } from "../element/index.ts";
