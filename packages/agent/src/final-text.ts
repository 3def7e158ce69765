/** The final text of a rollout, for verifiers. */
import type { Trajectory } from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";

/** Text of the last turn, or `null` if the rollout was cut before an answer. */
export function finalTextOf(
  { segments, stopReason }: Pick<Trajectory, "segments" | "stopReason">,
  format: Pick<ChatFormat, "parseAssistant" | "decodeAssistant">,
): string | null {
  const last = segments.findLast((segment) => segment.kind === "sampled");
  if (stopReason !== "completed" || last === undefined) return null;
  return format.parseAssistant(format.decodeAssistant(last.tokenIds)).text;
}
