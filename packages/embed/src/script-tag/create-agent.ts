/** `createAgent` that finds its files next to the bundle. */
import type { Agent } from "../agent.ts";
import type { AgentOptions } from "../agent-options.ts";
import { createAgent as create } from "../create-agent.ts";
import { OWN_FOLDER } from "./own-folder.ts";

/** Creates the agent of a page. Its worker and WASM files are loaded from the folder of `waggle.js`. */
export function createAgent(options: AgentOptions): Agent {
  return create({ assetsUrl: OWN_FOLDER, ...options });
}
