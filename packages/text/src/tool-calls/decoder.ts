/**
 * A sampled turn as it comes, for showing: text in whole characters, told apart from tool calls.
 * `createAssistantReader` says more of the calls; `parseAssistant` decides what was called.
 */
import type { AssistantEvent, AssistantReader } from "./reader.ts";
import type { StreamDecoder } from "../tokenizer.ts";

/** Never empty. The markers belong to the call. */
export type AssistantDelta = { readonly text: string; readonly part: "text" | "tool-call" };

export interface AssistantDecoder {
  /** What can be shown now; text that may be the beginning of a marker waits. */
  push(tokenId: number): AssistantDelta[];
  /** What waited. */
  end(): AssistantDelta[];
}

/** The same over tokens, with all that is known of the calls. */
export interface AssistantTokenReader {
  push(tokenId: number): AssistantEvent[];
  end(): AssistantEvent[];
}

/** A reader over tokens for one turn. */
export function createTokenReader(
  stream: StreamDecoder,
  reader: AssistantReader,
): AssistantTokenReader {
  return {
    push: (tokenId) => reader.push(stream.push(tokenId)),
    end: () => [...reader.push(stream.end()), ...reader.end()],
  };
}

/** A decoder for one turn. */
export function createAssistantDecoder(reader: AssistantTokenReader): AssistantDecoder {
  return {
    push: (tokenId) => reader.push(tokenId).flatMap(toDelta),
    end: () => reader.end().flatMap(toDelta),
  };
}

function toDelta(event: AssistantEvent): AssistantDelta[] {
  if (event.type === "call-text") return [{ part: "tool-call", text: event.text }];
  return event.type === "text" || event.type === "thought"
    ? [{ part: "text", text: event.text }]
    : [];
}
