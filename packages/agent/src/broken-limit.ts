/**
 * Explains to a tool's author which limit a call broke. The model reads a shorter message. Trainers compare that message,
 * so it must be the same in every release. The size is therefore kept beside the result.
 */
import type { ToolError, ToolResult } from "@waggle/protocol";

/** Length of a result as JSON text. */
export type OversizedResult = {
  /** At least this long: serializing stops at the limit. */
  readonly characters: number;
  readonly limit: number;
};

const sizes = new WeakMap<ToolError, OversizedResult>();

/** Keeps the size of a result that `error` stands for. */
export function keepSize(error: ToolError, size: OversizedResult): void {
  sizes.set(error, size);
}

/**
 * Says which limit was broken and what to write instead; `null` if none was.
 *
 * @param place - such as `seed 7, train, level 0`.
 */
export function brokenLimit(tool: string, result: ToolResult, place: string): string | null {
  const timeout = timeoutOf(tool, result, place);
  if (timeout !== null) {
    return `${timeout}; a trainer cannot judge such a rollout. Make it faster, or raise its timeoutMs`;
  }
  if (result.ok) return null;
  const { error } = result;
  const size = sizes.get(error);
  if (size === undefined) return null;
  return `${tool} returned at least ${size.characters} characters at ${place}, and the limit is ${size.limit}; the model reads an error instead. Return fewer entries or fields, or let an argument ask for a part`;
}

/** `search gave no result within 5000 ms at seed 7, train, level 0`; `null` if the call ended in time. */
export function timeoutOf(tool: string, result: ToolResult, place: string): string | null {
  if (result.ok || result.error.code !== "TIMEOUT") return null;
  return `${tool} gave ${result.error.message} at ${place}`;
}
