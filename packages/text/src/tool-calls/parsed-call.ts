/** What a sampled turn was read as, and what a call must be to count as one. */
import { isObject } from "@waggle/protocol";

/** A call before the loop has given it an id. */
export type ParsedToolCall = {
  readonly name: string;
  readonly arguments: { readonly [key: string]: unknown };
};

export type ParsedAssistant = {
  /** What was said outside calls and thoughts, trimmed. */
  readonly text: string;
  /** In order; empty where anything could not be read: half a turn is not acted on. */
  readonly toolCalls: readonly ParsedToolCall[];
  /** What could not be read, for the model to see; at most 300 characters. */
  readonly parseError: string | null;
};

/** What the wire schema of a trajectory can hold. */
export const MAX_CALLS = 64;
const MAX_NAME_LENGTH = 128;

/** The call, or why it is none. */
export function toCall(name: unknown, args: unknown): ParsedToolCall | string {
  if (typeof name !== "string" || name === "") {
    return `a tool call must have a name, got ${excerpt(name)}`;
  }
  if (name.length > MAX_NAME_LENGTH) return `a name must be short, got ${excerpt(name)}`;
  if (!isObject(args)) return `arguments must be a JSON object, got ${excerpt(args)}`;
  const long = Object.keys(args).find((key) => key.length > MAX_NAME_LENGTH);
  if (long !== undefined) return `names of arguments must be short, got ${excerpt(long)}`;
  return { name, arguments: args };
}

export function excerpt(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing");
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
