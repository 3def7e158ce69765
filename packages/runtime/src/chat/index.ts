/** Chat completions in OpenAI's shape over a local policy. */
export { firstAvailable, sourceOf } from "./chat-source.ts";
export type { ChatSource, OpenChatOptions } from "./chat-source.ts";
export { createLocalChat } from "./local-chat.ts";
export type { LocalChatOptions } from "./local-chat.ts";
export { createChat } from "./policy-chat.ts";
export type { ChatOptions, ChatPolicy } from "./policy-chat.ts";
export type {
  Chat,
  ChatAssistantMessage,
  ChatAvailability,
  ChatChoice,
  ChatChunkChoice,
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionMessage,
  ChatDelta,
  ChatFinishReason,
  ChatLogprobs,
  ChatMessage,
  ChatRecord,
  ChatRequest,
  ChatRequestOptions,
  ChatResponseFormat,
  ChatTextPart,
  ChatTimings,
  ChatTokenLogprob,
  ChatTool,
  ChatToolCall,
  ChatToolCallDelta,
  ChatToolChoice,
  ChatUsage,
} from "./chat-types.ts";
