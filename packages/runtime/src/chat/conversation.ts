/**
 * Renders messages as tokens, append-only: tokens of earlier messages never depend on later ones,
 * and an answer that was sampled here keeps its sampled tokens instead of being tokenized again.
 */
import { isObject, WaggleError } from "@waggle/protocol";
import type { ChatFormat, ChatNext } from "@waggle/text";
import type { ChatAssistantMessage, ChatMessage, ChatRequest } from "./chat-types.ts";
import { requestError } from "./request-error.ts";
import { textOf, toolDefinition } from "./request-checks.ts";

export type SampledTurn = {
  readonly tokenIds: readonly number[];
  /** False if it was cut before its stop token. */
  readonly isEnded: boolean;
};

/** The tokens of an answer that followed exactly these tokens, if known. */
export type Recall = (
  before: readonly number[],
  message: ChatAssistantMessage,
) => SampledTurn | null;

type Given = { texts: string[]; results: NonNullable<ChatNext["toolResults"]>[number][] };

/**
 * Tokens of all messages, up to the start of the answer.
 *
 * @throws WaggleError `INVALID_ARGUMENT` for an order of messages that no template supports.
 */
export function renderConversation(
  format: ChatFormat,
  { messages, tools }: Pick<ChatRequest, "messages" | "tools">,
  recall: Recall,
): number[] {
  const system: string[] = [];
  const tokenIds: number[] = [];
  let given: Given = { texts: [], results: [] };
  /** Whether the previous turn was ended; `null` before the first. */
  let wasEnded: boolean | null = null;

  const openTurn = (): void => {
    const userMessage = given.texts.length === 0 ? undefined : given.texts.join("\n\n");
    if (wasEnded !== null) {
      const next = format.next({
        sampledEnded: wasEnded,
        ...(given.results.length > 0 && { toolResults: given.results }),
        ...(userMessage !== undefined && { userMessage }),
      });
      for (const segment of next) tokenIds.push(...segment.tokenIds);
    } else if (given.results.length > 0) {
      throw orderError("tool messages must follow the calls");
    } else {
      const start = format.start({
        system: system.join("\n\n"),
        tools: (tools ?? []).map(toolDefinition),
        // Templates need a user's message; a conversation without one has an empty one.
        userMessage: userMessage ?? "",
      });
      for (const segment of start) tokenIds.push(...segment.tokenIds);
    }
    given = { texts: [], results: [] };
  };

  for (const [index, message] of messages.entries()) {
    switch (message.role) {
      case "system":
      case "developer":
        // Many templates take a system message only first, so a later one joins the user's message.
        (wasEnded === null ? system : given.texts).push(textOf(message.content));
        break;
      case "user":
        given.texts.push(textOf(message.content));
        break;
      case "tool": {
        if (given.texts.length > 0) throw orderError("tool messages must follow the calls");
        const text = textOf(message.content);
        given.results.push({
          callId: message.tool_call_id,
          ok: true,
          value: toolValue(text),
          text,
        });
        break;
      }
      case "assistant": {
        openTurn();
        const isPrefix = message.prefix === true && index === messages.length - 1;
        const turn = isPrefix ? null : recall(tokenIds, message);
        if (turn !== null) {
          tokenIds.push(...turn.tokenIds);
          wasEnded = turn.isEnded;
          break;
        }
        const encoded = format.encodeAssistant(assistantText(message), callsOf(message));
        // The last token ends the turn, which a prefix leaves open.
        tokenIds.push(...(isPrefix ? encoded.slice(0, -1) : encoded));
        if (isPrefix) return tokenIds;
        wasEnded = true;
        break;
      }
      default:
        throw orderError(
          `unknown role ${String((message as ChatMessage).role)}; use one of OpenAI's roles`,
        );
    }
  }
  openTurn();
  return tokenIds;
}

/** Equal for a message and a copy that a client sent back. */
export function assistantKey(message: ChatAssistantMessage): string {
  const calls = callsOf(message).map((call) => [call.name, call.arguments]);
  return JSON.stringify([assistantText(message).trim(), calls], sortKeys);
}

function sortKeys(_key: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((key) => [key, value[key]]),
  );
}

function assistantText({ content, refusal }: ChatAssistantMessage): string {
  return textOf(content ?? refusal ?? "");
}

function callsOf(message: ChatAssistantMessage): { name: string; arguments: object }[] {
  return (message.tool_calls ?? []).map(({ function: call }) => {
    const value = parseJson(call.arguments === "" ? "{}" : call.arguments);
    if (isObject(value)) return { name: call.name, arguments: value };
    const got = call.arguments.slice(0, 80);
    throw requestError(
      "INVALID_ARGUMENT",
      "messages",
      `have a tool call whose arguments are not a JSON object: ${got}; send the call unchanged`,
    );
  });
}

/** JSON as a value, otherwise the text. Numbers that would lose digits keep the text. */
function toolValue(text: string): unknown {
  if (/\d{16,}/.test(text)) return text;
  const value = parseJson(text);
  return value === undefined ? text : value;
}

/** `undefined` if it is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // A tool may answer in prose.
  }
}

function orderError(rule: string): WaggleError {
  return new WaggleError("INVALID_ARGUMENT", `${rule}; change the order of the messages`);
}
