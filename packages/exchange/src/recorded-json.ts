/**
 * Restores the key order of recorded JSON. The edge stores trajectories with sorted object keys, so that the
 * digest is unique. The order in which a policy wrote arguments, or a tool its result, remains only in the
 * tokens. Text must have that order to render to the recorded tokens.
 */
import { canonicalJson, type ToolCall, type ToolResult } from "@waggle/protocol";
import type { ChatFormat, RenderedSegment } from "@waggle/text";

/** The calls with their arguments' keys in the order of the sampled text. */
export function spelledCalls(
  calls: readonly ToolCall[],
  sampled: readonly Pick<ToolCall, "arguments">[],
): ToolCall[] {
  return calls.map((call, i) => {
    const spelled = sampled[i]?.arguments;
    return spelled !== undefined && isSame(spelled, call.arguments)
      ? { ...call, arguments: spelled }
      : call;
  });
}

/**
 * The results with their values' keys in the order of the given tokens. Returned unchanged if the values
 * cannot be separated from the template's text.
 */
export function spelledResults(
  results: readonly ToolResult[],
  recorded: readonly number[],
  sampledEnded: boolean,
  format: ChatFormat,
): readonly ToolResult[] {
  const show = (segments: readonly RenderedSegment[]): string =>
    format.decodeAssistant(segments.flatMap(({ tokenIds }) => [...tokenIds]));
  // Renders with marker numbers as values, to find the template's text around them.
  const marks = new RegExp(results.map((_, i) => FIRST_MARK + i).join("|"));
  const toolResults = results.map(({ callId }, i) => ({
    callId,
    ok: true as const,
    value: FIRST_MARK + i,
  }));
  const alone = show(format.next({ toolResults, sampledEnded })).split(marks);
  const withUser = show(format.next({ toolResults, userMessage: "", sampledEnded })).split(marks);
  // After the last value, only the text that does not depend on a following user message.
  const around = [...alone.slice(0, -1), commonStart(alone.at(-1) ?? "", withUser.at(-1) ?? "")];
  const text = show([{ role: "tool", tokenIds: recorded }]);
  if (around.length !== results.length + 1 || !text.startsWith(around[0] as string)) return results;
  let at = (around[0] as string).length;
  const spelled: ToolResult[] = [];
  for (const [i, result] of results.entries()) {
    const after = around[i + 1] as string;
    const found = result.ok ? valueAt(text, at, after, result.value) : null;
    if (found === null && result.ok) return results;
    if (found === null) at = text.indexOf(after, at) + after.length;
    else at = found.end + after.length;
    spelled.push(found === null || !result.ok ? result : { ...result, value: found.value });
  }
  return spelled;
}

/** First marker number; no template contains it. */
const FIRST_MARK = 918_273_640;

/** Placeholder for a value that is only in the tokens. It matches any JSON, or else any text. */
export const UNKNOWN: unique symbol = Symbol("unknown");

/** The JSON value that starts at `from`, equals the recorded value and ends before `after`. */
function valueAt(
  text: string,
  from: number,
  after: string,
  recorded: unknown,
): { readonly value: unknown; readonly end: number } | null {
  const until = after === "" ? text.length : from;
  const first = text.indexOf(after, until);
  for (let end = text.indexOf(after, until); end !== -1; end = text.indexOf(after, end + 1)) {
    const value = parseJson(text.slice(from, end));
    const isFound = value !== undefined && (recorded === UNKNOWN || isSame(value, recorded));
    if (isFound) return { value, end };
    if (after === "") break;
  }
  return recorded === UNKNOWN && first !== -1
    ? { value: text.slice(from, first), end: first }
    : null;
}

function commonStart(a: string, b: string): string {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return a.slice(0, length);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isSame(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b);
}
