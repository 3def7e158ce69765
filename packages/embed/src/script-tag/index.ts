/**
 * Entry of `waggle.js`, for pages without a bundler: the element and `createAgent`, with worker and WASM files from the
 * folder that this script is in.
 */
import "./own-folder.ts";
import "@waggle/embed/element";

export { WaggleAgentElement } from "@waggle/embed/element";
export { createAgent } from "./create-agent.ts";
