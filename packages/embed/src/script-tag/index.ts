/**
 * What `waggle assets` bundles into `waggle.js`, for pages without a bundler: `createAgent` and the element, with worker
 * and WASM files from the folder that this script is in.
 */
// First, so that the folder is known before the element is defined, which creates the page's agents.
export { createAgent } from "./create-agent.ts";
export { WaggleAgentElement } from "../element/index.ts";
