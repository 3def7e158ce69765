/**
 * What one trajectory records, as a visitor reads it under "What I sent". It is redacted, and it stays in this browser.
 * The outbox keeps it as JSON text beside the trajectory.
 */
import type { OutboxDetail } from "@waggle/collector";
import { isObject } from "@waggle/protocol";
import type { ToolResult } from "@waggle/protocol";

/** One piece of a trajectory, in order of time. */
export type TranscriptPart =
  /** `task` is the text of a practice task. */
  | { readonly kind: "request" | "task" | "answer"; readonly text: string }
  /** Something that the policy wrote and a person cannot read. */
  | { readonly kind: "unreadable" }
  | ToolPart;

/** One tool call. */
type ToolPart = {
  readonly kind: "tool";
  readonly callId: string;
  /** What the visitor read about the call. */
  readonly label: string;
  readonly arguments: { readonly [key: string]: unknown };
  /** `null` if the tool was stopped. */
  readonly result: ToolResult | null;
};

/** The first words of an entry that the previous release wrote. */
const EARLIER_REQUEST = /^(?:Request|Task): ([^]*?)(?=\n(?:Call \w|Result: |Failed: |Answer: )|$)/;

/** What an entry records. A practice task has no transcript of its tools, so they come from the trajectory. */
export function transcriptOf({ text, trajectory }: OutboxDetail): readonly TranscriptPart[] {
  const parts = parse(text ?? "");
  if (parts.some(({ kind }) => kind === "tool" || kind === "answer")) return parts;
  const tools = trajectory.turns.flatMap(({ toolCalls, toolResults }) =>
    toolCalls.map((call): ToolPart => {
      const result = toolResults.find(({ callId }) => callId === call.id) ?? null;
      const label = call.name.replaceAll("_", " ");
      return { kind: "tool", callId: call.id, label, arguments: call.arguments, result };
    }),
  );
  return [...parts, ...tools];
}

function parse(text: string): readonly TranscriptPart[] {
  try {
    const parts: unknown = JSON.parse(text);
    return Array.isArray(parts) ? parts.filter(isPart) : [];
  } catch {
    const [, request] = EARLIER_REQUEST.exec(text) ?? [];
    return request === undefined ? [] : [{ kind: "request", text: request }];
  }
}

function isPart(part: unknown): part is TranscriptPart {
  if (!isObject(part)) return false;
  if (part["kind"] === "unreadable") return true;
  if (part["kind"] === "tool") return typeof part["label"] === "string";
  return typeof part["text"] === "string";
}
