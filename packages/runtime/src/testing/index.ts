/** A chat with scripted answers, for tests of code built on chats. */
export { createScriptedChat } from "./scripted-chat.ts";
export type { ScriptedChat, ScriptedChatTurn } from "./scripted-chat.ts";
