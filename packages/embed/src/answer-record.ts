/**
 * The answer to one request while it grows: what the panel renders, and the redacted transcript that the
 * outbox shows under "What I sent".
 */
import type { AgentEvent as LoopEvent } from "@waggle/agent";
import type {
  Redactor,
  StopReason,
  Tool,
  ToolCall,
  ToolResult,
  ToolSource,
} from "@waggle/protocol";
import { type TurnState, visibleText } from "@waggle/text";
import type { AgentTexts } from "./agent-texts.ts";
import type { AgentEvent, AnswerPart, ConversationItem, ToolActivity } from "./agent.ts";
import type { TranscriptPart } from "./transcript.ts";

/** The conversation item of an answer. */
export type AnswerItem = Extract<ConversationItem, { kind: "answer" }>;

/** Collects the events of one request into an item and a transcript. */
export interface AnswerRecord {
  readonly item: AnswerItem;
  /** Redacted, for display. */
  readonly transcript: readonly TranscriptPart[];
  /** The last text of the policy, with personal data restored for the visitor. */
  readonly text: string;
  /** Adds an event of the agent loop. @returns the events to pass on to the page. */
  take(event: LoopEvent): readonly AgentEvent[];
  /**
   * Ends the answer. If its last turn is unreadable, or a limit cut it within a call, one plain sentence replaces the
   * text of unreadable turns. Later calls do nothing.
   * @returns the events to pass on to the page.
   */
  end(stopReason: StopReason): readonly AgentEvent[];
  update(change: Partial<AnswerItem>): void;
}

/** Options of `createAnswerRecord`. */
export type AnswerRecordOptions = {
  readonly id: string;
  readonly request: string;
  readonly redactor: Redactor;
  /** The tools that the policy could call. */
  readonly tools: () => readonly Tool[];
  /** What the visitor reads about a call. */
  readonly label: (name: string, args: ToolActivity["arguments"]) => string;
  readonly texts: AgentTexts;
};

/** Starts the record of one request. */
export function createAnswerRecord(options: AnswerRecordOptions): AnswerRecord {
  const { redactor, texts } = options;
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
  /** The current turn: sampled text, the visible part of it, and the index of that part. */
  let streamed = "";
  let shown = "";
  let textIndex: number | null = null;
  let hasCallText = false;
  let isUnreadable = false;
  /** Indices of the text of unreadable turns, which stays only if the answer ends well. */
  const doubtful = new Set<number>();
  let isEnded = false;
  /** What follows the request. */
  const transcript: TranscriptPart[] = [];
  /** Index of the current turn's first part: a turn says something, then calls tools. */
  let turnStart = 0;
  let turn = 0;
  const activities = new Map<string, ToolActivity>();

  const show = (text: string): string => {
    const restored = redactor.restore(text);
    return typeof restored === "string" ? restored : text;
  };
  const setParts = (parts: readonly AnswerPart[]): void => {
    item = { ...item, parts };
  };
  const setText = (text: string): void => {
    const part: AnswerPart = { kind: "text", text };
    if (textIndex !== null) {
      setParts(item.parts.map((old, index) => (index === textIndex ? part : old)));
    } else if (text !== "") {
      textIndex = item.parts.length;
      setParts([...item.parts, part]);
    }
  };
  const doubt = (): void => {
    if (textIndex !== null) doubtful.add(textIndex);
  };
  const beginText = (): void => {
    streamed = "";
    shown = "";
    textIndex = null;
    hasCallText = false;
  };
  /** Shows the readable text of the turn. @returns events with the new text. */
  const showText = (state: TurnState): readonly AgentEvent[] => {
    const visible = visibleText(streamed, state);
    isUnreadable = visible.isUnreadable;
    const before = shown;
    // Restores the whole text each time, since a placeholder may arrive in pieces.
    shown = show(visible.text);
    setText(shown);
    const text = shown.startsWith(before) ? shown.slice(before.length) : shown;
    return text === "" ? [] : [{ type: "text-delta", text }];
  };
  const setActivity = (activity: ToolActivity): void => {
    const known = activities.has(activity.id);
    activities.set(activity.id, activity);
    const part: AnswerPart = { kind: "tool", activity, turn };
    setParts(
      known
        ? item.parts.map((old) =>
            old.kind === "tool" && old.activity.id === activity.id ? part : old,
          )
        : [...item.parts, part],
    );
  };
  const called = (call: ToolCall): AgentEvent => {
    transcript.push({
      kind: "tool",
      callId: call.id,
      label: options.label(call.name, call.arguments),
      arguments: call.arguments,
      result: null,
    });
    const args = redactor.restore(call.arguments) as ToolActivity["arguments"];
    const activity: ToolActivity = {
      id: call.id,
      name: call.name,
      label: options.label(call.name, args),
      source: sourceOf(call.name, options.tools()),
      arguments: args,
      result: null,
    };
    setActivity(activity);
    return { type: "tool-call", activity };
  };
  const answered = (call: ToolCall | null, result: ToolResult): readonly AgentEvent[] => {
    // An unreadable call is answered with an error to the policy, which may try again.
    if (call === null) {
      doubt();
      return [];
    }
    const at = transcript.findIndex(
      (part) => part.kind === "tool" && part.callId === result.callId,
    );
    const recorded = transcript[at];
    if (recorded?.kind === "tool") transcript[at] = { ...recorded, result };
    const known = activities.get(result.callId);
    const activity: ToolActivity = {
      id: result.callId,
      name: call.name,
      label: known?.label ?? options.label(call.name, {}),
      source: known?.source ?? "page",
      arguments: known?.arguments ?? {},
      result: redactor.restore(result) as ToolResult,
    };
    setActivity(activity);
    return [{ type: "tool-result", activity }];
  };

  return {
    get item() {
      return item;
    },
    get transcript() {
      // Redacted only now: the redactor is not ready before the request runs.
      const text = redactor.redact(options.request);
      return [{ kind: "request", text } as const, ...transcript];
    },
    get text() {
      const last = item.parts.findLast((part) => part.kind === "text");
      return last?.kind === "text" ? last.text : "";
    },
    update(change) {
      item = { ...item, ...change };
    },
    end(stopReason) {
      if (isEnded) return [];
      isEnded = true;
      // A visitor who stopped the answer knows why it is cut.
      if (!isUnreadable || stopReason === "aborted") return [];
      setParts(item.parts.filter((_, index) => !doubtful.has(index)));
      beginText();
      setText(texts.unreadable);
      return [{ type: "text-delta", text: texts.unreadable }];
    },
    take(event) {
      switch (event.type) {
        case "turn-start":
          turnStart = transcript.length;
          turn += 1;
          beginText();
          isUnreadable = false;
          return [{ type: "turn-start" }];
        case "token-delta":
          if (event.part !== "text") {
            hasCallText = true;
            return [];
          }
          streamed += event.text;
          return showText("going");
        case "tool-call":
          return [called(event.call)];
        case "tool-result":
          return answered(event.call, event.result);
        case "turn-end": {
          transcript.splice(turnStart, 0, ...saidIn(event));
          const events = showText(stateOf(event));
          // Calls are not in the text. Those of a cut turn never run.
          isUnreadable ||= event.parseError !== null || (stateOf(event) === "cut" && hasCallText);
          if (isUnreadable) doubt();
          return [...events, { type: "turn-end" }];
        }
        case "trajectory-end": {
          const { id, stopReason, policyVersion } = event.trajectory;
          return [
            ...this.end(stopReason),
            {
              type: "trajectory-end",
              trajectoryId: id,
              stopReason,
              policyVersion,
              text: this.text,
            },
          ];
        }
      }
    },
  };
}

type TurnEnd = Extract<LoopEvent, { type: "turn-end" }>;

function stateOf({ stopReason }: TurnEnd): TurnState {
  return stopReason === "stop-token" ? "ended" : "cut";
}

/** What a person can read of a turn's text. */
function saidIn(turn: TurnEnd): TranscriptPart[] {
  const { text, isUnreadable } = visibleText(turn.text, stateOf(turn));
  const isBroken = turn.parseError !== null || (turn.text !== "" && isUnreadable);
  return [
    ...(text === "" ? [] : [{ kind: "answer", text } as const]),
    ...(isBroken ? [{ kind: "unreadable" } as const] : []),
  ];
}

function sourceOf(name: string, tools: readonly Tool[]): ToolSource {
  return tools.find((tool) => tool.definition.name === name)?.definition.source ?? "page";
}
