/** A chat that says what a script says, for tests of what is built on chats. */
export { createScriptedChat } from "./scripted-chat.ts";
export type { ScriptedChat, ScriptedChatTurn } from "./scripted-chat.ts";
