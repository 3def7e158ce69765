/** Turns that a visitor repeats a request for: those of failed calls that no later call made good. */
import type { Turn } from "@waggle/protocol";

/**
 * Indexes of the turns with a failed or unreadable call after the last turn of which all calls succeeded, in order. A turn
 * without calls is passed over. Empty if the last calls succeeded, or if there are none.
 */
export function failedTurns(
  turns: readonly Pick<Turn, "toolResults" | "parseError">[],
): readonly number[] {
  const failed: number[] = [];
  for (const [index, { toolResults, parseError }] of [...turns.entries()].toReversed()) {
    if (parseError !== null || toolResults.some(({ ok }) => !ok)) failed.unshift(index);
    else if (toolResults.length > 0) break;
  }
  return failed;
}
