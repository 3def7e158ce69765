/** A chat on a server with OpenAI's HTTP API, and a handler that serves a chat in that way. */
export { createChatHandler } from "./chat-handler.ts";
export { createHttpChat } from "./http-chat.ts";
export type { HttpChatOptions } from "./http-chat.ts";
