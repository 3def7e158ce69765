/** `createAgent` that finds its files next to the bundle. */
import { type Agent, type AgentOptions, createAgent as create } from "@waggle/embed";
import { OWN_FOLDER } from "./own-folder.ts";

export function createAgent(options: AgentOptions): Agent {
  return create({ assetsUrl: OWN_FOLDER, ...options });
}
