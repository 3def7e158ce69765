/**
 * Converts sampled tokens to deltas of a message: text up to a stop text, thoughts, and tool calls.
 */
import type { AssistantEvent, AssistantReaderOptions, ChatFormat } from "@waggle/text";
import type { ChatDelta } from "./chat-types.ts";
import { createStopFilter } from "./stop-filter.ts";

export interface TurnReader {
  push(tokenId: number): ChatDelta[];
  end(): ChatDelta[];
  /** True once a stop text arrived. */
  readonly isStopped: boolean;
  /** Why calls could not be parsed; they are then ignored and returned as text. */
  readonly parseError: string | null;
}

export type TurnReaderOptions = {
  readonly format: ChatFormat;
  /** `null` leaves calls in the text. */
  readonly tools: NonNullable<AssistantReaderOptions["tools"]> | null;
  readonly stops: readonly string[];
  readonly newCallId: () => string;
};

/** A reader for one answer. */
export function createTurnReader(options: TurnReaderOptions): TurnReader {
  const { tools, newCallId } = options;
  const reader = options.format.createAssistantReader(tools === null ? {} : { tools });
  const filter = createStopFilter(options.stops);
  /** Source text of the calls. */
  let written = "";
  /** JSON text returned so far, by call. */
  const given: string[] = [];
  let parseError: string | null = null;

  const ofText = (text: string): ChatDelta[] => (text === "" ? [] : [{ content: text }]);
  const ofArguments = (index: number, json: string): ChatDelta[] => {
    given[index] = (given[index] ?? "") + json;
    return json === "" ? [] : [{ tool_calls: [{ index, function: { arguments: json } }] }];
  };

  const toDeltas = (event: AssistantEvent): ChatDelta[] => {
    if (filter.isStopped) return [];
    switch (event.type) {
      case "text":
        return ofText(filter.push(event.text));
      case "thought":
        return [{ reasoning_content: event.text }];
      case "call-text": {
        if (tools === null) return ofText(filter.push(event.text));
        const before = ofText(filter.end());
        if (parseError !== null) return [...before, ...ofText(event.text)];
        written += event.text;
        return before;
      }
      case "call-start": {
        if (tools === null) return [];
        const called = { name: event.name, arguments: "" };
        const { index } = event;
        return [{ tool_calls: [{ index, id: newCallId(), type: "function", function: called }] }];
      }
      case "call-arguments":
        return tools === null ? [] : ofArguments(event.index, event.json);
      case "call-end": {
        const { index, call } = event;
        const isSilent = tools !== null && (given[index] ?? "") === "";
        return isSilent ? ofArguments(index, JSON.stringify(call.arguments)) : [];
      }
      case "call-error": {
        if (tools === null || parseError !== null) return [];
        parseError = event.problem;
        return ofText(written);
      }
      case "was-thought":
        return []; // It was already returned as text.
    }
  };

  return {
    push: (tokenId) => reader.push(tokenId).flatMap(toDeltas),
    end: () => [...reader.end().flatMap(toDeltas), ...ofText(filter.end())],
    get isStopped() {
      return filter.isStopped;
    },
    get parseError() {
      return parseError;
    },
  };
}
