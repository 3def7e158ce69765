/**
 * The text format of world models: in their conversations, calls are user messages and tool results are
 * assistant messages. Contains no model.
 */
import type { ToolCall, ToolResult } from "@waggle/protocol";

/** System message of every world-model conversation. */
export const WORLD_MODEL_SYSTEM: string = "You are the world.";
/** Prefix of an answer that reports a failure. */
const FAILED = "! ";

/** A call as the world model reads it: `look ann boss`. */
export function callText({ name, arguments: given }: Pick<ToolCall, "name" | "arguments">): string {
  const values = Object.values(given).map((value) =>
    typeof value === "string" ? value : JSON.stringify(value),
  );
  return [name, ...values].join(" ");
}

/** A tool result as the world model should say it. */
export function resultText(result: ToolResult): string {
  if (!result.ok) return `${FAILED}${result.error.message}`;
  return typeof result.value === "string" ? result.value : JSON.stringify(result.value);
}

/** The tool result that a world model said; the reverse of `resultText`. */
export function saidResult(callId: string, said: string): ToolResult {
  if (said.startsWith(FAILED.trim())) {
    const message = said.slice(FAILED.trim().length).trim();
    return { callId, ok: false, error: { code: "TOOL_FAILED", message } };
  }
  return { callId, ok: true, value: said };
}

/** The query whether a rollout that ends with this text succeeded. */
export function verdictQuery(finalText: string): string {
  return `end ${finalText}`;
}

/** The answer to that query. */
export function verdictText(success: boolean): string {
  return success ? "yes" : "no";
}

/** A message to the world model. The first one of a conversation also contains the request. */
export function worldModelMessage(request: string, text: string, isFirst: boolean): string {
  return isFirst ? `${request}\n${text}` : text;
}
