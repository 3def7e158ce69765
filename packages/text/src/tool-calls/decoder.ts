/**
 * Decodes a turn for display while it is sampled: whole characters, with text and tool calls separated.
 * `createAssistantReader` gives more details of calls; `parseAssistant` determines the final calls.
 */
import type { AssistantEvent, AssistantReader } from "./reader.ts";
import type { StreamDecoder } from "../tokenizer.ts";

/** A piece of text, never empty. Markers belong to the call. */
export type AssistantDelta = { readonly text: string; readonly part: "text" | "tool-call" };

/** Decodes tokens for display. */
export interface AssistantDecoder {
  /** Text that can be displayed now. Text that may begin a marker is held back. */
  push(tokenId: number): AssistantDelta[];
  /** The text held back. */
  end(): AssistantDelta[];
}

/** As `AssistantDecoder`, with everything that is known about calls. */
export interface AssistantTokenReader {
  push(tokenId: number): AssistantEvent[];
  end(): AssistantEvent[];
}

/** Reads the tokens of one turn. */
export function createTokenReader(
  stream: StreamDecoder,
  reader: AssistantReader,
): AssistantTokenReader {
  return {
    push: (tokenId) => reader.push(stream.push(tokenId)),
    end: () => [...reader.push(stream.end()), ...reader.end()],
  };
}

/** Decodes one turn for display. */
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
