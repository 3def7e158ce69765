/**
 * The spelling of recorded JSON. The edge stores trajectories with the keys of every object sorted, so
 * that a digest is one; the order in which a policy wrote arguments, or a tool its result, is in the
 * tokens only. Text that is to render to the recorded tokens needs it back.
 */
import { canonicalJson, type ToolCall, type ToolResult } from "@waggle/protocol";
import type { ChatFormat, RenderedSegment } from "@waggle/text";

/** The calls with the keys of their arguments as the sampled text has them. */
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
 * The results with the keys of their values as the given tokens have them; as they are where the text
 * cannot be told from the template's.
 */
export function spelledResults(
  results: readonly ToolResult[],
  recorded: readonly number[],
  sampledEnded: boolean,
  format: ChatFormat,
): readonly ToolResult[] {
  const show = (segments: readonly RenderedSegment[]): string =>
    format.decodeAssistant(segments.flatMap(({ tokenIds }) => [...tokenIds]));
  // Numbers that no template holds stand for the values; what is around them is the template's.
  const marks = new RegExp(results.map((_, i) => FIRST_MARK + i).join("|"));
  const toolResults = results.map(({ callId }, i) => ({
    callId,
    ok: true as const,
    value: FIRST_MARK + i,
  }));
  const alone = show(format.next({ toolResults, sampledEnded })).split(marks);
  const withUser = show(format.next({ toolResults, userMessage: "", sampledEnded })).split(marks);
  // After the last one only what comes with and without a message of the user.
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

const FIRST_MARK = 918_273_640;

/** Stands for a value that was not recorded beside the tokens: whatever JSON they hold is it. */
export const UNKNOWN: unique symbol = Symbol("unknown");

/** The JSON at `from` that is the recorded value and ends before `after`. */
function valueAt(
  text: string,
  from: number,
  after: string,
  recorded: unknown,
): { readonly value: unknown; readonly end: number } | null {
  const until = after === "" ? text.length : from;
  for (let end = text.indexOf(after, until); end !== -1; end = text.indexOf(after, end + 1)) {
    const value = parsed(text.slice(from, end));
    const isFound = value !== undefined && (recorded === UNKNOWN || isSame(value, recorded));
    if (isFound) return { value, end };
    if (after === "") return null;
  }
  return null;
}

function commonStart(a: string, b: string): string {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return a.slice(0, length);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isSame(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b);
}
