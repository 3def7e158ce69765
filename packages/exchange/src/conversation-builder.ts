/**
 * Builds a conversation from a flat list of messages, as other formats have it. Messages that do not follow
 * the order system, user, (assistant, results or user)… are refused with a reason and never repaired.
 */
import type { ToolCall, ToolDefinition, ToolResult } from "@waggle/protocol";
import type { Conversation, ConversationTurn, Refusal } from "./conversation.ts";

/** A call, with its id in the file if it has one. */
export type MessageCall = {
  readonly id: string | null;
  readonly name: string;
  readonly arguments: { readonly [key: string]: unknown };
};

/** One message of another format. */
export type Message =
  | { readonly role: "system"; readonly text: string }
  | { readonly role: "user"; readonly text: string }
  | {
      readonly role: "assistant";
      readonly text: string;
      readonly calls: readonly MessageCall[];
      readonly isTarget: boolean;
    }
  /** With `callId` null it answers the first call that has no result yet. */
  | { readonly role: "tool"; readonly callId: string | null; readonly text: string };

/** The parts of a conversation that do not come from messages. */
export type ConversationFrame = Pick<Conversation, "id" | "label" | "pair"> & {
  readonly tools: readonly ToolDefinition[];
};

type OpenTurn = {
  text: string;
  isTarget: boolean;
  toolCalls: ToolCall[];
  /** The calls' ids in the file, aligned with `toolCalls`. */
  fileIds: (string | null)[];
  results: (ToolResult | undefined)[];
  userMessage: string | undefined;
};

/**
 * Builds the conversation. Calls get new ids (`c0`, `c1`, …). Consecutive messages of the same role are
 * joined.
 */
export function buildConversation(
  messages: readonly Message[],
  frame: ConversationFrame,
): Conversation | Refusal {
  const system: string[] = [];
  const user: string[] = [];
  const turns: OpenTurn[] = [];
  let calls = 0;
  for (const message of messages) {
    const turn = turns.at(-1);
    if (message.role === "system") {
      if (user.length > 0 || turn !== undefined) return { refused: "late-system-message" };
      system.push(message.text);
    } else if (message.role === "user") {
      if (turn === undefined) user.push(message.text);
      else if (!isAnswered(turn)) return { refused: "call-without-result" };
      else turn.userMessage = [turn.userMessage ?? [], message.text].flat().join("\n\n");
    } else if (message.role === "tool") {
      if (turn === undefined) return { refused: "result-without-call" };
      // Results of a turn without calls are those of calls in its text, or of a call that could not be parsed.
      const at = turn.toolCalls.length === 0 ? turn.results.length : openCall(turn, message.callId);
      if (at === -1) return { refused: "result-without-call" };
      const callId = turn.toolCalls[at]?.id ?? `c${calls++}`;
      turn.results[at] = { callId, ok: true, value: valueOf(message.text) };
    } else {
      if (user.length === 0) return { refused: "no-user-message" };
      const continuesTurn =
        turn !== undefined && turn.results.length === 0 && turn.userMessage === undefined;
      if (!continuesTurn && turn !== undefined && !isAnswered(turn)) {
        return { refused: "call-without-result" };
      }
      const taken = continuesTurn ? turn : newTurn();
      if (!continuesTurn) turns.push(taken);
      taken.text = [taken.text, message.text].filter((text) => text !== "").join("\n");
      taken.isTarget &&= message.isTarget;
      for (const call of message.calls) {
        taken.toolCalls.push({ id: `c${calls}`, name: call.name, arguments: call.arguments });
        taken.fileIds.push(call.id);
        calls += 1;
      }
    }
  }
  if (turns.length === 0) return { refused: "no-assistant-turn" };
  const last = turns.at(-1) as OpenTurn;
  if (last.results.length > 0 && !isAnswered(last)) return { refused: "call-without-result" };
  return {
    schemaVersion: 1,
    id: frame.id,
    system: system.join("\n\n"),
    tools: frame.tools,
    userMessage: user.join("\n\n"),
    turns: turns.map(closed),
    label: frame.label,
    pair: frame.pair,
  };
}

function newTurn(): OpenTurn {
  return {
    text: "",
    isTarget: true,
    toolCalls: [],
    fileIds: [],
    results: [],
    userMessage: undefined,
  };
}

function closed(turn: OpenTurn): ConversationTurn {
  return {
    text: turn.text,
    toolCalls: turn.toolCalls,
    toolResults: turn.results.filter((result) => result !== undefined),
    ...(turn.userMessage === undefined ? {} : { userMessage: turn.userMessage }),
    ...(turn.isTarget ? {} : { isTarget: false }),
  };
}

function isAnswered(turn: OpenTurn): boolean {
  return turn.toolCalls.every((_, i) => turn.results[i] !== undefined);
}

/** Index of the call that a result answers; -1 if there is none. */
function openCall(turn: OpenTurn, callId: string | null): number {
  const isOpen = (i: number): boolean => turn.results[i] === undefined;
  const named =
    callId === null ? -1 : turn.fileIds.findIndex((id, i) => id === callId && isOpen(i));
  if (named !== -1 || (callId !== null && turn.fileIds.includes(callId))) return named;
  return turn.toolCalls.findIndex((_, i) => isOpen(i));
}

/** A result parsed as JSON, or as text if it is not JSON. */
function valueOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
