/**
 * The answer of one request as it grows: what the panel renders, and the redacted transcript that is kept
 * beside the trajectory for "what I sent".
 */
import type { AgentEvent as LoopEvent } from "@waggle/agent";
import type { Redactor, ToolCall, ToolResult, ToolSource } from "@waggle/protocol";
import type { AgentEvent, AnswerPart, ConversationItem, ToolActivity } from "./agent.ts";

export type AnswerItem = Extract<ConversationItem, { kind: "answer" }>;

export interface AnswerRecord {
  readonly item: AnswerItem;
  /** Redacted, for people. */
  readonly transcript: string;
  /** The last text the policy said, restored for the visitor. */
  readonly text: string;
  /** Takes an event of the loop. @returns what a page is told, if anything. */
  take(event: LoopEvent): AgentEvent | null;
  update(change: Partial<AnswerItem>): void;
}

export type AnswerRecordOptions = {
  readonly id: string;
  readonly request: string;
  readonly redactor: Redactor;
  readonly sourceOf: (toolName: string) => ToolSource;
};

export function createAnswerRecord(options: AnswerRecordOptions): AnswerRecord {
  const { redactor, sourceOf } = options;
  let item: AnswerItem = {
    kind: "answer",
    id: options.id,
    parts: [],
    running: true,
    stopReason: null,
    failure: null,
    trajectoryId: null,
    policyVersion: null,
    feedback: null,
  };
  let streamed = "";
  const lines = [`Request: ${redactor.redact(options.request)}`];
  const activities = new Map<string, ToolActivity>();

  const show = (text: string): string => {
    const restored = redactor.restore(text);
    return typeof restored === "string" ? restored : text;
  };
  const setParts = (parts: readonly AnswerPart[]): void => {
    item = { ...item, parts };
  };
  const setText = (text: string): void => {
    const last = item.parts.at(-1);
    const part: AnswerPart = { kind: "text", text };
    if (last?.kind === "text") setParts([...item.parts.slice(0, -1), part]);
    else if (text !== "") setParts([...item.parts, part]);
  };
  const setActivity = (activity: ToolActivity): void => {
    const known = activities.has(activity.id);
    activities.set(activity.id, activity);
    const part: AnswerPart = { kind: "tool", activity };
    setParts(
      known
        ? item.parts.map((old) =>
            old.kind === "tool" && old.activity.id === activity.id ? part : old,
          )
        : [...item.parts, part],
    );
  };
  const called = (call: ToolCall): AgentEvent => {
    lines.push(`Call ${call.name}: ${JSON.stringify(call.arguments)}`);
    const activity: ToolActivity = {
      id: call.id,
      name: call.name,
      source: sourceOf(call.name),
      arguments: redactor.restore(call.arguments) as ToolActivity["arguments"],
      result: null,
    };
    setActivity(activity);
    return { type: "tool-call", activity };
  };
  const answered = (call: ToolCall | null, result: ToolResult): AgentEvent => {
    lines.push(
      result.ok
        ? `Result: ${JSON.stringify(result.value)}`
        : `Failed: ${result.error.code}: ${result.error.message}`,
    );
    const known = activities.get(result.callId);
    const activity: ToolActivity = {
      id: result.callId,
      name: call?.name ?? "unreadable call",
      source: known?.source ?? "page",
      arguments: known?.arguments ?? {},
      result: redactor.restore(result) as ToolResult,
    };
    setActivity(activity);
    return { type: "tool-result", activity };
  };

  return {
    get item() {
      return item;
    },
    get transcript() {
      return lines.join("\n");
    },
    get text() {
      const last = item.parts.findLast((part) => part.kind === "text");
      return last?.kind === "text" ? last.text : "";
    },
    update(change) {
      item = { ...item, ...change };
    },
    take(event) {
      switch (event.type) {
        case "turn-start":
          streamed = "";
          return { type: "turn-start" };
        case "token-delta":
          if (event.part !== "text") return null;
          streamed += event.text;
          // A placeholder may arrive in pieces, so the whole text so far is restored each time.
          setText(show(streamed).trimStart());
          return { type: "text-delta", text: event.text };
        case "tool-call":
          return called(event.call);
        case "tool-result":
          return answered(event.call, event.result);
        case "turn-end":
          if (event.text !== "") lines.push(`Answer: ${event.text}`);
          return { type: "turn-end" };
        case "trajectory-end":
          return {
            type: "trajectory-end",
            trajectoryId: event.trajectory.id,
            stopReason: event.trajectory.stopReason,
            policyVersion: event.trajectory.policyVersion,
            text: this.text,
          };
      }
    },
  };
}
