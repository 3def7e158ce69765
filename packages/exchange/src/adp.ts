/**
 * The Agent Data Protocol: a trajectory as a flat list of actions and observations.
 *
 * Source: neulab/agent-data-protocol 0dc0875, `schema/trajectory.py` (schema version 1.5.0, whose models forbid
 * unknown fields and require that a call and its observation have the same `tool_call_id`), and `schema/action/*.py` and
 * `schema/observation/*.py` at commits near it. Older files are read too: without ids, and with other names of sources.
 * Differs: the protocol has no fields for a system prompt and tool schemas, so they are written to `details`.
 * The calls of a turn are followed by their observations in the same order. Text beside calls becomes the
 * `description` of the first call. If the model's own template does not render this to the recorded tokens, the tokens
 * are in `details.tokens`.
 */
import { isObject } from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";
import { chatTools, readTools } from "./chat-messages.ts";
import type { Conversation, ConversationTurn, Refusal } from "./conversation.ts";
import { buildConversation, type Message } from "./conversation-builder.ts";
import { isText } from "./json-text.ts";
import { differenceWithCalls } from "./recorded-messages.ts";
import type { Difference } from "./rendered-difference.ts";
import type { ReadTrajectory } from "./trajectory-text.ts";
import { toTrlTokenRow } from "./trl.ts";

/** The schema version that is written. */
const ADP_SCHEMA_VERSION = "1.5.0";

type AdpAction =
  | {
      readonly class_: "api_action";
      readonly function: string;
      readonly kwargs: object;
      readonly description?: string;
      readonly tool_call_id?: string;
      readonly reward?: number;
    }
  | { readonly class_: "message_action"; readonly content: string; readonly reward?: number };

type AdpObservation = {
  readonly class_: "text_observation";
  readonly content: string;
  readonly source: "user" | "environment";
  readonly tool_call_id?: string;
};

/** An ADP trajectory as JSON. */
export type AdpTrajectory = {
  readonly schema_version: string;
  readonly id: string;
  readonly content: readonly (AdpAction | AdpObservation)[];
  readonly details: { readonly [name: string]: unknown };
};

/**
 * Converts a trajectory. The outcome's reward is written to the last action.
 *
 * @returns also why the text does not give the recorded tokens, which are then beside it.
 */
export function toAdpTrajectory(
  read: ReadTrajectory,
  format: ChatFormat,
): { readonly row: AdpTrajectory; readonly differs: Difference | null } {
  const { record, conversation } = read;
  const { row, trajectory } = record;
  const differs = differenceWithCalls(read, format);
  const { input_ids, labels } = toTrlTokenRow(read);
  const content: (AdpAction | AdpObservation)[] = [
    { class_: "text_observation", content: conversation.userMessage, source: "user" },
  ];
  let calls = 0;
  for (const turn of conversation.turns) {
    content.push(...turnContent(turn, calls, format));
    calls += turn.toolCalls.length;
  }
  const last = content.findLastIndex((item) => item.class_ !== "text_observation");
  if (last !== -1 && row.reward !== null) {
    content[last] = { ...(content[last] as AdpAction), reward: row.reward };
  }
  const adp = {
    schema_version: ADP_SCHEMA_VERSION,
    id: conversation.id,
    content,
    details: {
      system: conversation.system,
      tools: chatTools(conversation.tools),
      digest: row.digest,
      group: row.groupId,
      base_model: trajectory.baseModel,
      policy_version: trajectory.policyVersion,
      stop_reason: trajectory.stopReason,
      success: row.success,
      ...(differs !== null && { tokens: { input_ids, labels } }),
    },
  };
  return { row: adp, differs };
}

/** @param before number of calls in earlier turns. */
function turnContent(
  turn: ConversationTurn,
  before: number,
  format: ChatFormat,
): (AdpAction | AdpObservation)[] {
  const { text, toolCalls, toolResults, userMessage } = turn;
  // As in upstream's tool_call_links.py. A call without a result must have no id.
  const link = (i: number): { readonly tool_call_id?: string } =>
    i < toolResults.length
      ? { tool_call_id: `call_${String(before + i + 1).padStart(6, "0")}` }
      : {};
  return [
    ...(toolCalls.length === 0 ? [{ class_: "message_action" as const, content: text }] : []),
    ...toolCalls.map((call, i) => ({
      class_: "api_action" as const,
      function: call.name,
      kwargs: call.arguments,
      ...(i === 0 && text !== "" ? { description: text } : {}),
      ...link(i),
    })),
    ...toolResults.map((result, i) => ({
      class_: "text_observation" as const,
      content: format.toolResultText(result),
      source: "environment" as const,
      ...link(i),
    })),
    ...(userMessage === undefined
      ? []
      : [{ class_: "text_observation" as const, content: userMessage, source: "user" as const }]),
  ];
}

/**
 * Reads the conversation of an ADP trajectory. Code becomes a call of `execute_code`, a web page its
 * accessibility tree. A trajectory with images is refused.
 */
export function readAdpTrajectory(value: unknown, fallbackId: string): Conversation | Refusal {
  if (!isObject(value) || !Array.isArray(value["content"])) return { refused: "no-content" };
  const details = isObject(value["details"]) ? value["details"] : {};
  const tools = readTools(details["tools"]);
  if ("refused" in tools) return tools;
  const messages: Message[] = isText(details["system"])
    ? ([{ role: "system", text: details["system"] }].filter(({ text }) => text !== "") as Message[])
    : [];
  for (const item of value["content"] as unknown[]) {
    const message = isObject(item) ? readItem(item, messages) : { refused: "unreadable-content" };
    if ("refused" in message) return message;
    messages.push(message);
  }
  const id = isText(value["id"]) && value["id"] !== "" ? value["id"] : fallbackId;
  return buildConversation(messages, { id, tools, label: null, pair: null });
}

function readItem(
  item: { readonly [key: string]: unknown },
  before: readonly Message[],
): Message | Refusal {
  const callId = isText(item["tool_call_id"]) ? item["tool_call_id"] : null;
  const text = isText(item["content"]) ? item["content"] : "";
  const description = isText(item["description"]) ? item["description"] : "";
  const act = (name: unknown, args: unknown): Message | Refusal =>
    isText(name) && isObject(args)
      ? {
          role: "assistant",
          text: description,
          calls: [{ id: callId, name, arguments: args }],
          isTarget: true,
        }
      : { refused: "unreadable-action" };
  switch (item["class_"]) {
    case "api_action":
      return act(item["function"], item["kwargs"]);
    case "code_action":
      return act("execute_code", { language: item["language"], code: text });
    case "message_action":
      return { role: "assistant", text, calls: [], isTarget: true };
    case "text_observation":
      return observe(item["source"], text, callId, before);
    case "json_observation":
      return observe(item["source"], JSON.stringify(item["content"]), callId, before);
    case "web_observation": {
      const page = [item["axtree"], item["html"], item["url"]].find(isText);
      return page === undefined
        ? { refused: "empty-web-observation" }
        : observe("environment", page, callId, before);
    }
    case "image_observation":
      return { refused: "image-observation" };
    default:
      return { refused: "unknown-class" };
  }
}

/** Reads an observation. One that follows a call is its result, as in the protocol's own converters. */
function observe(
  source: unknown,
  text: string,
  callId: string | null,
  before: readonly Message[],
): Message {
  if (callId !== null || hasOpenCall(before)) return { role: "tool", callId, text };
  if (source === "agent" || source === "assistant") {
    return { role: "assistant", text, calls: [], isTarget: false };
  }
  if (source === "system" && before.every(({ role }) => role === "system")) {
    return { role: "system", text };
  }
  const hasSpoken = before.some(({ role }) => role === "assistant");
  return source === "environment" && hasSpoken && before.at(-1)?.role === "assistant"
    ? { role: "tool", callId: null, text }
    : { role: "user", text };
}

function hasOpenCall(messages: readonly Message[]): boolean {
  let open = 0;
  for (const message of messages.slice(messages.findLastIndex(({ role }) => role === "user") + 1)) {
    if (message.role === "assistant") open += message.calls.length;
    else if (message.role === "tool") open = Math.max(0, open - 1);
  }
  return open > 0;
}
