/**
 * Converts a tool's return value to the JSON that the policy reads and the record keeps. Tools are the
 * page's own code, so a bad return value must not end the request.
 */
import { isObject, WaggleError } from "@waggle/protocol";
import type { ToolResult } from "@waggle/protocol";
import type { OversizedResult } from "./broken-limit.ts";

/** Levels of arrays and objects. The edge refuses bodies of more than 40 levels, and an upload wraps the value in 8. */
const MAX_DEPTH = 30;

/**
 * A plain JSON copy of the value; `null` for undefined.
 *
 * @param maxCharacters - maximum length of the value's JSON text.
 * @throws WaggleError `TOOL_FAILED`, with a message for the policy, if the value is not JSON, too long or nests
 *   too deep.
 */
export function toolValue(value: unknown, maxCharacters: number = Infinity): unknown {
  if (value === undefined || value === null) return null;
  let least = 0;
  let text: string | undefined;
  const depths = new WeakMap<object, number>();
  try {
    text = JSON.stringify(value, function (this: object, _, member: unknown) {
      // Checked while serializing, because a result may be very large.
      least += typeof member === "string" ? member.length : 1;
      if (least > maxCharacters) throw tooLong({ characters: least, limit: maxCharacters });
      requireContent(member);
      if (isObject(member) || Array.isArray(member)) {
        const depth = (depths.get(this) ?? 0) + 1;
        if (depth > MAX_DEPTH) throw tooDeep();
        depths.set(member, depth);
      }
      return member;
    }) as string | undefined;
  } catch (error) {
    if (WaggleError.is(error)) throw error;
    throw new WaggleError("TOOL_FAILED", `the result is not JSON: ${messageOf(error)}`);
  }
  if (text === undefined) {
    throw new WaggleError("TOOL_FAILED", `the result is not JSON: it is a ${typeof value}`);
  }
  if (text.length > maxCharacters) {
    throw tooLong({ characters: text.length, limit: maxCharacters });
  }
  return JSON.parse(text) as unknown;
}

/** The first line of a thrown value of any type, at most 2,000 characters. */
export function messageOf(error: unknown): string {
  try {
    const message: unknown = error instanceof Error ? error.message : error;
    return String(message).split("\n", 1).join("").slice(0, 2000);
  } catch {
    return "the error has no message";
  }
}

/** A result whose value is plain JSON, so that the record equals what the policy reads. */
export function plainResult(result: ToolResult): ToolResult {
  if (!result.ok) return result;
  try {
    return { ...result, value: toolValue(result.value) };
  } catch (error) {
    const message = messageOf(error);
    return { callId: result.callId, ok: false, error: { code: "TOOL_FAILED", message } };
  }
}

/**
 * Refuses objects whose JSON would be empty or useless. JSON writes a Map, a Set, a DOM node and other
 * objects without own members as `{}`, and a typed array as an object with one member per element.
 */
function requireContent(member: unknown): void {
  if (!isObject(member)) return;
  const prototype: unknown = Object.getPrototypeOf(member);
  if (prototype === null || prototype === Object.prototype) return;
  if (!ArrayBuffer.isView(member) && Object.keys(member).length > 0) return;
  const { constructor: type } = prototype as { readonly constructor?: unknown };
  const name = typeof type === "function" && type.name !== "" ? type.name : "class";
  throw new WaggleError("TOOL_FAILED", `the result is not JSON: it holds an object of ${name}`);
}

function tooDeep(): WaggleError {
  return new WaggleError(
    "TOOL_FAILED",
    `the result nests deeper than ${MAX_DEPTH} levels; flatten it`,
  );
}

function tooLong(cause: OversizedResult): WaggleError {
  return new WaggleError(
    "TOOL_FAILED",
    `the result is longer than ${cause.limit} characters; ask for less`,
    { cause },
  );
}

/** The size of a result that `toolValue` refused as too long; `null` for another error. */
export function oversizeOf(error: unknown): OversizedResult | null {
  const cause = error instanceof Error ? error.cause : null;
  return isObject(cause) && typeof cause["characters"] === "number"
    ? (cause as OversizedResult)
    : null;
}
