/** Validates prompts as the draft does, and converts them to a chat's messages. */
import { isObject } from "@waggle/protocol";
import type { ChatMessage, ChatResponseFormat, ChatTool } from "../chat/chat-types.ts";
import type {
  LanguageModelMessage,
  LanguageModelPromptOptions,
  LanguageModelTool,
} from "./prompt-api-types.ts";

/**
 * Messages in the chat's form.
 *
 * @param hasInput - whether the conversation has begun, so that a system message is too late.
 * @throws DOMException `SyntaxError` for a prefix that is not last or not the assistant's,
 *   `NotSupportedError` for content that is not text; `TypeError` for a late system message and text
 *   that is not a string.
 */
export function toMessages(
  input: readonly LanguageModelMessage[] | string,
  hasInput: boolean,
): ChatMessage[] {
  if (typeof input === "string") return [{ role: "user", content: input }];
  if (input.length === 0) return [{ role: "user", content: "" }];
  return input.map((message, index, all) => {
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
    const text = textOf(content);
    return prefix ? { role: "assistant", content: text, prefix } : { role, content: text };
  });
}

function textOf(content: LanguageModelMessage["content"]): string {
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
 * @throws DOMException `NotSupportedError` for flags that change what a regular expression matches, and
 *   a schema that is not JSON; `TypeError` for a constraint that is no schema, and one that is omitted.
 */
export function toResponseFormat({
  responseConstraint: constraint,
  omitResponseConstraintInput,
}: LanguageModelPromptOptions): ChatResponseFormat | undefined {
  if (constraint === undefined) {
    if (omitResponseConstraintInput !== true) return undefined;
    throw new TypeError("omitResponseConstraintInput needs a responseConstraint");
  }
  if (constraint instanceof RegExp) {
    const { source, flags } = constraint;
    if (/[^gudy]/.test(flags)) {
      throw new DOMException(`the flags ${flags} are not supported`, "NotSupportedError");
    }
    return { type: "regex", pattern: source.replace(/^\^|(?<=(?<!\\)(?:\\\\)*)\$$/g, "") };
  }
  const schema = asJson(constraint);
  if (!isObject(schema)) throw new TypeError("a constraint must be a JSON Schema or a RegExp");
  return { type: "json_schema", json_schema: { name: "response", schema } };
}

/** A copy, so that the page can change the schema while the model answers. */
function asJson(value: object): unknown {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {
    throw new DOMException("the schema cannot be written as JSON", "NotSupportedError");
  }
  return text === undefined ? undefined : JSON.parse(text);
}

/** Converts tools to the chat's form. */
export function toChatTools(tools: readonly LanguageModelTool[]): ChatTool[] {
  return tools.map(({ name, description, inputSchema }) => ({
    type: "function",
    function: { name, description, parameters: inputSchema as { [key: string]: unknown } },
  }));
}
