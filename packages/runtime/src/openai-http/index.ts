/** Chats and token-level sampling over OpenAI's HTTP API: clients of such servers, and handlers that serve them. */
export { createChatHandler } from "./chat-handler.ts";
export { createHttpChat } from "./http-chat.ts";
export type { HttpChatOptions } from "./http-chat.ts";
export { createCompletionsHandler } from "./completions-handler.ts";
export { findServer } from "./find-server.ts";
export type { PostOptions } from "./post-json.ts";
export { createServedPolicy } from "./served-policy.ts";
export type { ServedPolicy } from "./served-policy.ts";
