/** The result of parsing a sampled turn, and the requirements of a valid call. */
import { isObject } from "@waggle/protocol";

/** A call without an id, which the agent loop adds. */
export type ParsedToolCall = {
  readonly name: string;
  readonly arguments: { readonly [key: string]: unknown };
};

/** A parsed turn. */
export type ParsedAssistant = {
  /** Text outside calls and thoughts, trimmed. */
  readonly text: string;
  /** In order. Empty if anything could not be parsed: half a turn is not acted on. */
  readonly toolCalls: readonly ParsedToolCall[];
  /** Problem shown to the model, at most 300 characters; `null` if there is none. */
  readonly parseError: string | null;
};

/** Maximum number of calls in the trajectory schema. */
export const MAX_CALLS = 64;
const MAX_NAME_LENGTH = 128;

/** The call, or the reason why it is invalid. */
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

/** The value as text of at most 80 characters. */
export function excerpt(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing");
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
