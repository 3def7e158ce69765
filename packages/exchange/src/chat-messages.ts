/**
 * Chat messages as in OpenAI's chat completions and TRL's datasets. OpenAI writes arguments as a JSON string
 * and Hugging Face's templates expect an object; both are read.
 *
 * Sources: TRL `docs/source/dataset_formats.md` at f2cd577 (1.10.0.dev0); OpenAI's fine-tuning format
 * (`messages` with `weight`, `tools`; `input`, `preferred_output`, `non_preferred_output`).
 */
import { isObject } from "@waggle/protocol";
import type { ToolDefinition } from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";
import type { Conversation, ConversationTurn, Refusal } from "./conversation.ts";
import type { Message, MessageCall } from "./conversation-builder.ts";
import { isText } from "./json-text.ts";

/** A message as written. */
export type ChatMessage = {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly type: "function";
    readonly function: { readonly name: string; readonly arguments: object };
  }[];
  readonly tool_call_id?: string;
  readonly name?: string;
};

/** The system message, if any, and the first request. */
export function promptMessages(
  prompt: Pick<Conversation, "system" | "userMessage">,
): ChatMessage[] {
  const { system, userMessage } = prompt;
  return [
    ...(system === "" ? [] : [{ role: "system" as const, content: system }]),
    { role: "user", content: userMessage },
  ];
}

/** A turn with the messages that answer it. With `isLast`, the turn alone. */
export function turnMessages(
  turn: ConversationTurn,
  isLast: boolean,
  format: ChatFormat,
): ChatMessage[] {
  const said: ChatMessage = {
    role: "assistant",
    content: turn.text,
    ...(turn.toolCalls.length === 0
      ? {}
      : {
          tool_calls: turn.toolCalls.map((call) => ({
            id: call.id,
            type: "function" as const,
            function: { name: call.name, arguments: call.arguments },
          })),
        }),
  };
  if (isLast) return [said];
  return [
    said,
    ...turn.toolResults.map((result): ChatMessage => {
      const call = turn.toolCalls.find(({ id }) => id === result.callId);
      return {
        role: "tool",
        ...(call === undefined ? {} : { name: call.name, tool_call_id: call.id }),
        content: format.toolResultText(result),
      };
    }),
    ...(turn.userMessage === undefined
      ? []
      : [{ role: "user" as const, content: turn.userMessage }]),
  ];
}

/** Tool definitions as OpenAI's function tools. */
export function chatTools(tools: readonly ToolDefinition[]): object[] {
  return tools.map(({ name, description, parameters }) => ({
    type: "function",
    function: { name, description, parameters },
  }));
}

/** Reads a list of messages. */
export function readMessages(value: unknown): Message[] | Refusal {
  if (!Array.isArray(value)) return { refused: "no-messages" };
  const messages: Message[] = [];
  for (const entry of value as unknown[]) {
    const message = isObject(entry) ? readMessage(entry) : { refused: "unreadable-message" };
    if ("refused" in message) return message;
    messages.push(message);
  }
  return messages;
}

function readMessage(entry: { readonly [key: string]: unknown }): Message | Refusal {
  const text = readContent(entry["content"]);
  if (text === null) return { refused: "content-is-not-text" };
  switch (entry["role"]) {
    case "system":
    case "developer":
      return { role: "system", text };
    case "user":
      return { role: "user", text };
    case "tool":
    case "function": {
      const callId = entry["tool_call_id"];
      return { role: "tool", callId: isText(callId) ? callId : null, text };
    }
    case "assistant": {
      const given = entry["tool_calls"] ?? [];
      const legacy = entry["function_call"];
      const all: unknown[] = Array.isArray(given) ? (given as unknown[]) : [given];
      if (isObject(legacy)) all.push({ function: legacy });
      const calls = all.map(readCall);
      if (calls.some((call) => call === null)) return { refused: "unreadable-tool-call" };
      return {
        role: "assistant",
        text,
        calls: calls.filter((call) => call !== null),
        isTarget: entry["weight"] !== 0,
      };
    }
    default:
      return { refused: "unknown-role" };
  }
}

/** Text, or the concatenated text parts; `null` for other content such as images. */
function readContent(value: unknown): string | null {
  if (value === undefined || value === null) return "";
  if (isText(value)) return value;
  if (!Array.isArray(value)) return null;
  const parts = (value as unknown[]).map((part) =>
    isObject(part) && part["type"] === "text" && isText(part["text"]) ? part["text"] : null,
  );
  return parts.includes(null) ? null : parts.join("");
}

function readCall(value: unknown): MessageCall | null {
  if (!isObject(value)) return null;
  const called = isObject(value["function"]) ? value["function"] : value;
  const given = called["arguments"] ?? {};
  const args = isText(given) ? parseJson(given === "" ? "{}" : given) : given;
  if (!isText(called["name"]) || !isObject(args)) return null;
  return { id: isText(value["id"]) ? value["id"] : null, name: called["name"], arguments: args };
}

/** Reads `tools`: OpenAI's function tools, bare functions, or either one as a JSON string. */
export function readTools(value: unknown): ToolDefinition[] | Refusal {
  const list = isText(value) ? parseJson(value) : value;
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list)) return { refused: "unreadable-tools" };
  const tools = (list as unknown[]).map(readTool);
  return tools.some((tool) => tool === null)
    ? { refused: "unreadable-tools" }
    : tools.filter((tool) => tool !== null);
}

function readTool(value: unknown): ToolDefinition | null {
  if (!isObject(value)) return null;
  const tool = isObject(value["function"]) ? value["function"] : value;
  const { name, description, parameters } = tool;
  if (!isText(name) || name === "") return null;
  return {
    name,
    description: isText(description) ? description : "",
    parameters: isObject(parameters) ? parameters : { type: "object", properties: {} },
    source: "page",
  };
}

/** The parsed JSON, or the text itself. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
