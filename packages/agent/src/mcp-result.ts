/**
 * What a policy reads of an MCP tool's result. Text and JSON alone are the value itself. Several blocks are an
 * array, in which blocks other than text (images, audio, resources, links) are objects as MCP sends them. Structured
 * content comes first in that array, without the texts that only repeat it.
 */
import { canonicalJson, isObject, WaggleError } from "@waggle/protocol";
import type { WaggleErrorCode } from "@waggle/protocol";
import { digitsOf, exactJson, someNumber } from "./exact-json.ts";

type ContentBlock = { readonly type: string };
type TextBlock = { readonly type: "text"; readonly text: string };

/** The members of MCP's `CallToolResult` that are read. */
export type McpResult = {
  readonly content?: readonly ContentBlock[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean | undefined;
};

/**
 * The result as a JSON value.
 *
 * @throws WaggleError the tool's own failure: our edge's error code, else `TOOL_FAILED`. Also `TOOL_FAILED` for
 *   a number that cannot be held.
 */
export function mcpValue({ content = [], structuredContent, isError }: McpResult): unknown {
  const texts = content.filter(isText);
  if (isError === true) throw toolError(texts.map(({ text }) => text).join("\n"));
  if (structuredContent !== undefined) {
    const { value, isRounded } = structuredValue(structuredContent, texts);
    const others: unknown[] = content
      // A text that repeats the value may still have the digits of a number that was rounded.
      .filter((block) => !isText(block) || isRounded || !repeats(block.text, structuredContent))
      .map((block) => (isText(block) ? block.text : block));
    if (isRounded) others.push(ROUNDED);
    return others.length === 0 ? value : [value, ...others];
  }
  const values = content.map((block) => (isText(block) ? exactJson(block.text) : block));
  if (values.length === 0) return "";
  return values.length === 1 ? values[0] : values;
}

/** A failure whose text is `{ code, message }` as our edge writes it, or any other text. */
function toolError(text: string): WaggleError {
  const value = exactJson(text);
  return (
    (isObject(value) ? codedError(value["code"], value["message"]) : null) ??
    new WaggleError("TOOL_FAILED", text || "the tool failed without a message")
  );
}

/** An error with one of our codes; `null` if `code` does not look like one. */
export function codedError(code: unknown, message: unknown): WaggleError | null {
  if (typeof code !== "string" || !/^[A-Z_]{1,64}$/.test(code)) return null;
  return typeof message === "string" ? new WaggleError(code as WaggleErrorCode, message) : null;
}

/** The client library has parsed the value, so its text is read instead where a number may have changed. */
function structuredValue(
  parsed: unknown,
  texts: readonly TextBlock[],
): { readonly value: unknown; readonly isRounded: boolean } {
  const isDoubtful = someNumber(parsed, hasManyDigits);
  const source = isDoubtful ? texts.find(({ text }) => isJsonOf(text, parsed)) : undefined;
  if (source !== undefined) return { value: exactJson(source.text), isRounded: false };
  if (someNumber(parsed, (number) => !Number.isFinite(number))) {
    throw new WaggleError("TOOL_FAILED", "the result has a number that is too large to read");
  }
  return { value: parsed, isRounded: someNumber(parsed, mayBeRounded) };
}

/**
 * Whether a text says nothing that the structured content does not say: it is empty, or the content's JSON. Servers
 * put a result that is not an object into an object with one member, and the bare result into the text.
 */
function repeats(text: string, structured: unknown): boolean {
  if (text.trim() === "") return true;
  const members = isObject(structured) ? Object.values(structured) : [];
  const said = members.length === 1 ? [structured, members[0]] : [structured];
  return said.some((value) => value === text || isJsonOf(text, value));
}

function isJsonOf(text: string, value: unknown): boolean {
  try {
    return canonicalJson(JSON.parse(text)) === canonicalJson(value);
  } catch {
    return false;
  }
}

const ROUNDED = "a number in this result has more digits than can be read, and was rounded";

/** Digits of a decimal number that a JavaScript number keeps. */
const EXACT_DIGITS = 15;

/** Whether the JSON of this number may have had more digits. A number with few digits, such as 1e21, is exact. */
function hasManyDigits(number: number): boolean {
  return !Number.isFinite(number) || digitsOf(number).length > EXACT_DIGITS;
}

function mayBeRounded(number: number): boolean {
  return Math.abs(number) > Number.MAX_SAFE_INTEGER && hasManyDigits(number);
}

function isText(block: ContentBlock): block is TextBlock {
  return block.type === "text" && "text" in block && typeof block.text === "string";
}
