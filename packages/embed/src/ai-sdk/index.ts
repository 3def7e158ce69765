/** An agent behind `useChat` of the AI SDK. Only types of the package `ai` are imported. */
export { createChatTransport } from "./chat-transport.ts";
export type { AnswerMetadata } from "./answer-chunks.ts";
