/**
 * What `waggle assets` bundles into `waggle.js`, for pages without a bundler: the element and `createAgent`, with worker
 * and WASM files from the folder that this script is in.
 */
import "./own-folder.ts";
import "../element/index.ts";

export { WaggleAgentElement } from "../element/index.ts";
export { createAgent } from "./create-agent.ts";
