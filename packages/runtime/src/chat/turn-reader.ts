/** Sampled tokens as the deltas of a message: text up to a stop text, and tool calls. */
import type { ChatFormat } from "@waggle/text";
import type { ChatDelta } from "./chat-types.ts";
import { createStopFilter } from "./stop-filter.ts";

export interface TurnReader {
  push(tokenId: number): ChatDelta[];
  end(): ChatDelta[];
  /** True once a stop text came. */
  readonly isStopped: boolean;
  /** Calls that were read. */
  readonly callCount: number;
  /** Why a call could not be read; it then came as text. */
  readonly parseError: string | null;
}

export type TurnReaderOptions = {
  readonly format: ChatFormat;
  /** False leaves calls in the text. */
  readonly readsTools: boolean;
  readonly stops: readonly string[];
  readonly newCallId: () => string;
};

/** A reader for one answer. */
export function createTurnReader(options: TurnReaderOptions): TurnReader {
  const { format, readsTools, newCallId } = options;
  const decoder = format.createAssistantDecoder();
  const filter = createStopFilter(options.stops);
  let callText = "";
  let callCount = 0;
  let parseError: string | null = null;

  const ofText = (text: string): ChatDelta[] => (text === "" ? [] : [{ content: text }]);

  /** A call comes whole: its text decides whether it is one. */
  const ofCall = (): ChatDelta[] => {
    const parsed = format.parseAssistant(callText);
    const text = callText;
    callText = "";
    if (parsed.parseError !== null) {
      parseError = parsed.parseError;
      return ofText(text);
    }
    return parsed.toolCalls.map(({ name, arguments: args }) => ({
      tool_calls: [
        {
          index: callCount++,
          id: newCallId(),
          type: "function",
          function: { name, arguments: JSON.stringify(args) },
        },
      ],
    }));
  };

  const read = (parts: ReturnType<typeof decoder.push>): ChatDelta[] =>
    parts.flatMap(({ part, text }) => {
      if (filter.isStopped) return [];
      if (part === "text" || !readsTools) {
        const before = callText === "" ? [] : ofCall();
        return [...before, ...ofText(filter.push(text))];
      }
      const before = ofText(filter.end());
      callText += text;
      return before;
    });

  return {
    push: (tokenId) => read(decoder.push(tokenId)),
    end: () => {
      const rest = read(decoder.end());
      return [...rest, ...(callText === "" ? [] : ofCall()), ...ofText(filter.end())];
    },
    get isStopped() {
      return filter.isStopped;
    },
    get callCount() {
      return callCount;
    },
    get parseError() {
      return parseError;
    },
  };
}
