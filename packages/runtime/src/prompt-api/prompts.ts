/** Validates prompts as the draft does, and converts them to a chat's messages. */
import { isObject } from "@waggle/protocol";
import type { ChatMessage, ChatResponseFormat, ChatTool } from "../chat/chat-types.ts";
import type { LanguageModelPrompt, LanguageModelTool } from "./prompt-api-types.ts";

/**
 * Messages in the chat's form.
 *
 * @param hasInput - whether the conversation has begun, so that a system message is too late.
 * @throws DOMException `SyntaxError` for a prefix that is not last or not the assistant's,
 *   `NotSupportedError` for content that is not text; `TypeError` for values of wrong types.
 */
export function toMessages(input: LanguageModelPrompt, hasInput: boolean): ChatMessage[] {
  if (typeof input === "string") return [{ role: "user", content: input }];
  if (!Array.isArray(input)) throw new TypeError("a prompt must be a string or a list of messages");
  if (input.length === 0) return [{ role: "user", content: "" }];
  return (input as Exclude<LanguageModelPrompt, string>).map((message, index, all) => {
    const { role, content, prefix = false } = message;
    if (prefix && role !== "assistant") {
      throw new DOMException("only an assistant's message can be a prefix", "SyntaxError");
    }
    if (prefix && index < all.length - 1) {
      throw new DOMException("a prefix must be the last message", "SyntaxError");
    }
    if (role === "system" && (hasInput || index > 0)) {
      throw new TypeError("a system message must be the first of a conversation");
    }
    if (role !== "system" && role !== "user" && role !== "assistant") {
      throw new TypeError(`unknown role ${String(role)}; use system, user or assistant`);
    }
    const text = textOf(content);
    return prefix ? { role: "assistant", content: text, prefix } : { role, content: text };
  });
}

function textOf(content: Exclude<LanguageModelPrompt, string>[number]["content"]): string {
  if (typeof content === "string") return content;
  return content
    .map(({ type, value }) => {
      if (type !== "text") throw new DOMException(`${type} is not supported`, "NotSupportedError");
      if (typeof value !== "string") throw new TypeError("a text must be a string");
      return value;
    })
    .join("");
}

/**
 * A response constraint as a response format.
 *
 * @throws DOMException `NotSupportedError` for flags that change what a regular expression matches;
 *   `TypeError` for a constraint that is not an object.
 */
export function toResponseFormat(constraint: unknown): ChatResponseFormat | undefined {
  if (constraint === undefined || constraint === null) return undefined;
  if (constraint instanceof RegExp) {
    const { source, flags } = constraint;
    if (/[^gudy]/.test(flags)) {
      throw new DOMException(`the flags ${flags} are not supported`, "NotSupportedError");
    }
    return { type: "regex", pattern: source.replace(/^\^|(?<!\\)\$$/g, "") };
  }
  if (!isObject(constraint)) throw new TypeError("a constraint must be an object");
  return {
    type: "json_schema",
    json_schema: { name: "response", schema: constraint },
  };
}

/** Converts tools to the chat's form. */
export function toChatTools(tools: readonly LanguageModelTool[]): ChatTool[] {
  return tools.map(({ name, description, inputSchema }) => ({
    type: "function",
    function: { name, description, parameters: inputSchema as { [key: string]: unknown } },
  }));
}
