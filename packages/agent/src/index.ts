/** The agent loop: `rollOut`, conversations, tools and policy wrappers. */
export type { AgentEvent } from "./agent-event.ts";
export { createConversation } from "./conversation.ts";
export type {
  Conversation,
  ConversationOptions,
  ReadConversation,
  RestoreStart,
  SendOptions,
} from "./conversation.ts";
export { decisionConfidence, turnConfidences } from "./decision-confidence.ts";
export { finalTextOf } from "./final-text.ts";
export { guidedEnvironment } from "./guided-environment.ts";
export type { Guide } from "./guided-environment.ts";
export { versionGuide } from "./version-guide.ts";
export { callDivider } from "./call-divider.ts";
export type { CallDivider } from "./call-divider.ts";
export { forwardingPolicy } from "./forwarding-policy.ts";
export { foldedRollout } from "./folded-rollout.ts";
export type { FoldedOptions, FoldedTurns } from "./folded-rollout.ts";
export { scriptedPolicy } from "./scripted-policy.ts";
export { replayedPolicy } from "./replayed-policy.ts";
export type { AdmitTurn } from "./replayed-policy.ts";
export { defaultTurnTokens, rollOut } from "./roll-out.ts";
export type { RollOutLimits, RollOutOptions } from "./roll-out-options.ts";
export { swappingPolicy } from "./swapping-policy.ts";
export type { SwapPoint } from "./swapping-policy.ts";
export { createToolEnvironment } from "./tool-environment.ts";
export type { ToolEnvironmentOptions } from "./tool-environment.ts";
