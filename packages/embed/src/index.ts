/** The public API for pages. Importing it needs no DOM; `@waggle/embed/element` defines the panel. */
export type {
  Agent,
  AgentEvent,
  AgentRun,
  AgentStatus,
  AnswerPart,
  ConversationItem,
  EnvironmentFactory,
  FeedbackOutcome,
  SimulateOptions,
  SimulationProgress,
  ToolActivity,
} from "./agent.ts";
export { createAgent } from "./create-agent.ts";
export type { AgentModel } from "./agent-model.ts";
export type { AgentOptions, McpServer } from "./agent-options.ts";
export type { Confirmation } from "./confirmations.ts";
export type { PageTool } from "@waggle/agent/tools";
export type { AgentTexts } from "./agent-texts.ts";
