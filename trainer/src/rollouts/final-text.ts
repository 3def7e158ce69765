/** What a rollout ended with, as its verifier is told. */
import type { Trajectory } from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";

/** Text of the last turn, `null` where the rollout was cut before it answered. */
export function finalTextOf(
  { segments, stopReason }: Pick<Trajectory, "segments" | "stopReason">,
  format: ChatFormat,
): string | null {
  const last = segments.findLast((segment) => segment.kind === "sampled");
  if (stopReason !== "completed" || last === undefined) return null;
  return format.parseAssistant(format.decodeAssistant(last.tokenIds)).text;
}
