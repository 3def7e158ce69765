/** The turn loop over ports: `rollOut`, conversations, tools that run. */
export type { AgentEvent } from "./agent-event.ts";
export { createConversation } from "./conversation.ts";
export type { Conversation, ConversationOptions, SendOptions } from "./conversation.ts";
export { guidedEnvironment } from "./guided-environment.ts";
export type { Guide } from "./guided-environment.ts";
export { versionGuide } from "./version-guide.ts";
export { connectMcpTools } from "./mcp-tools.ts";
export type { McpConnection, McpOptions } from "./mcp-tools.ts";
export { replayedPolicy } from "./replayed-policy.ts";
export { defaultTurnTokens, rollOut } from "./roll-out.ts";
export type { RollOutLimits, RollOutOptions } from "./roll-out.ts";
export { spanSeed } from "./span-seed.ts";
export { createToolEnvironment } from "./tool-environment.ts";
export type { ToolEnvironmentOptions } from "./tool-environment.ts";
