/** A chat on a server that speaks OpenAI's HTTP, and a chat as such a server. */
export { createChatHandler } from "./chat-handler.ts";
export { createHttpChat } from "./http-chat.ts";
export type { HttpChatOptions } from "./http-chat.ts";
