/** A record as text, for judges. */
import { finalTextOf } from "@waggle/agent";
import type { Trajectory } from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";
import { transcriptOf } from "../rollouts/trajectory-text.ts";

export type RecordText = {
  /** The visitor's newest message before the first sampled turn. */
  readonly request: string;
  /** Calls, results and the final answer. */
  readonly transcript: string;
};

/** A text of the visitor that no template contains. */
const SAID = "\u2063said\u2063";

export function recordText(
  record: Trajectory,
  format: Pick<ChatFormat, "next" | "decodeAssistant" | "parseAssistant">,
): RecordText {
  return {
    request: requestOf(record, format),
    transcript: transcriptOf(
      record.turns,
      finalTextOf(record, format) ?? `[no answer: ${record.stopReason}]`,
    ),
  };
}

/** Without what the chat template writes around it, as far as that is known. */
function requestOf(
  { segments }: Trajectory,
  format: Pick<ChatFormat, "next" | "decodeAssistant">,
): string {
  const first = segments.findIndex(({ kind }) => kind === "sampled");
  const given = segments
    .slice(0, first < 0 ? undefined : first)
    .findLast((segment) => segment.kind === "given" && segment.role === "user");
  if (given === undefined) return "";
  const rendered = format
    .next({ userMessage: SAID, sampledEnded: true })
    .map(({ tokenIds }) => format.decodeAssistant(tokenIds))
    .join("");
  const [before = "", after = ""] = rendered.split(SAID).map((text) => text.trim());
  const text = format.decodeAssistant(given.tokenIds).trim();
  const end = text.endsWith(after) ? text.length - after.length : text.length;
  return text.slice(text.startsWith(before) ? before.length : 0, end).trim();
}
