/**
 * Tool calls as text: `<tool_call>{"name": …, "arguments": {…}}</tool_call>`, the form of Hermes and
 * Qwen. One writer and one reader. What cannot be read is data for the loop, never a throw.
 */

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

export const TOOL_CALL_OPEN = "<tool_call>";
export const TOOL_CALL_CLOSE = "</tool_call>";
const OPEN = TOOL_CALL_OPEN;
const CLOSE = TOOL_CALL_CLOSE;
/** What the wire schema of a trajectory can hold. */
const MAX_CALLS = 64;
const MAX_NAME_LENGTH = 128;
const THINK_CLOSE = "</think>";

/** An assistant's text as `parseAssistant` reads it. */
export function renderAssistant(
  text: string,
  toolCalls: readonly { readonly name: string; readonly arguments: object }[],
): string {
  const calls = toolCalls.map(
    (call) => `${OPEN}${JSON.stringify({ name: call.name, arguments: call.arguments })}${CLOSE}`,
  );
  return text + calls.join("");
}

/**
 * Reads a sampled turn. A leading `<think>` block is neither text nor searched for calls; an
 * unfinished one hides everything.
 */
export function parseAssistant(sampledText: string): ParsedAssistant {
  let rest = withoutThoughts(sampledText);
  let text = "";
  const toolCalls: ParsedToolCall[] = [];
  while (rest !== "") {
    const open = rest.indexOf(OPEN);
    if (open === -1) break;
    text += rest.slice(0, open);
    const read = readCall(rest.slice(open + OPEN.length));
    if (typeof read === "string") {
      return { text: (text + rest.slice(open)).trim(), toolCalls: [], parseError: read };
    }
    if (toolCalls.push(read.call) > MAX_CALLS) {
      return { text: text.trim(), toolCalls: [], parseError: `at most ${MAX_CALLS} calls a turn` };
    }
    rest = rest.slice(open + OPEN.length + read.length);
  }
  text += rest;
  if (text.includes(CLOSE)) {
    return { text: text.trim(), toolCalls: [], parseError: `${CLOSE} without ${OPEN}` };
  }
  return { text: text.trim(), toolCalls, parseError: null };
}

function withoutThoughts(text: string): string {
  const close = text.lastIndexOf(THINK_CLOSE);
  if (close !== -1) return text.slice(close + THINK_CLOSE.length);
  return text.trimStart().startsWith("<think>") ? "" : text;
}

/** The call at the start of `text` and how many characters it takes, or why it cannot be read. */
function readCall(text: string): { call: ParsedToolCall; length: number } | string {
  let problem = `${OPEN} without ${CLOSE}`;
  // A closing tag may stand inside a string of the JSON, so the first that gives JSON counts.
  for (let close = text.indexOf(CLOSE); close !== -1; close = text.indexOf(CLOSE, close + 1)) {
    let value: unknown;
    try {
      value = JSON.parse(text.slice(0, close));
    } catch {
      if (problem.startsWith(OPEN)) {
        problem = `a tool call must hold JSON, got ${excerpt(text.slice(0, close))}`;
      }
      // Past the next opening tag it is another call's closing tag.
      if (text.slice(0, close).includes(OPEN)) break;
      continue;
    }
    const call = toCall(value);
    return typeof call === "string" ? call : { call, length: close + CLOSE.length };
  }
  return problem;
}

function toCall(value: unknown): ParsedToolCall | string {
  if (!isObject(value)) return `a tool call must be a JSON object, got ${excerpt(value)}`;
  const { name, arguments: args } = value;
  if (typeof name !== "string" || name === "") {
    return `a tool call must have a name, got ${excerpt(name)}`;
  }
  if (name.length > MAX_NAME_LENGTH) return `a name must be short, got ${excerpt(name)}`;
  if (!isObject(args)) return `arguments must be a JSON object, got ${excerpt(args)}`;
  const long = Object.keys(args).find((key) => key.length > MAX_NAME_LENGTH);
  if (long !== undefined) return `names of arguments must be short, got ${excerpt(long)}`;
  return { name, arguments: args };
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function excerpt(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing");
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
