/**
 * What a tool returned, as the JSON value that the policy reads and the record keeps. Tools are the page's
 * own code, so no value that they return may end the request.
 */
import { WaggleError } from "@waggle/protocol";

/**
 * @param maxCharacters most characters of the value's JSON text.
 * @returns a copy; `null` for nothing.
 * @throws WaggleError `TOOL_FAILED`, in words for the policy, where the value has no JSON text or too long a one.
 */
export function toolValue(value: unknown, maxCharacters: number = Infinity): unknown {
  if (value === undefined || value === null) return null;
  let least = 0;
  let text: string | undefined;
  try {
    text = JSON.stringify(value, (_, member: unknown) => {
      // Before the whole text is there: a result may be very large.
      least += typeof member === "string" ? member.length : 1;
      if (least > maxCharacters) throw tooLong(maxCharacters);
      requireContent(member);
      return member;
    }) as string | undefined;
  } catch (error) {
    if (WaggleError.is(error)) throw error;
    throw new WaggleError("TOOL_FAILED", `the result is not JSON: ${messageOf(error)}`);
  }
  if (text === undefined) {
    throw new WaggleError("TOOL_FAILED", `the result is not JSON: it is a ${typeof value}`);
  }
  if (text.length > maxCharacters) throw tooLong(maxCharacters);
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

/**
 * JSON writes a Map, a Set, a DOM node and other objects without members of their own as `{}`, and bytes as
 * an object with a member for each.
 */
function requireContent(member: unknown): void {
  if (typeof member !== "object" || member === null || Array.isArray(member)) return;
  const prototype: unknown = Object.getPrototypeOf(member);
  if (prototype === null || prototype === Object.prototype) return;
  if (!ArrayBuffer.isView(member) && Object.keys(member).length > 0) return;
  const { constructor: type } = prototype as { readonly constructor?: unknown };
  const name = typeof type === "function" && type.name !== "" ? type.name : "class";
  throw new WaggleError("TOOL_FAILED", `the result is not JSON: it holds an object of ${name}`);
}

function tooLong(maxCharacters: number): WaggleError {
  return new WaggleError(
    "TOOL_FAILED",
    `the result is longer than ${maxCharacters} characters; ask for less`,
  );
}
