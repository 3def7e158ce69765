/** For React 19: the types of `<waggle-agent>` in JSX, and hooks. */
import "./element-props.ts";

export { useAgent } from "./use-agent.ts";
export { useAgentState } from "./use-agent-state.ts";
export type { AgentState } from "./use-agent-state.ts";
