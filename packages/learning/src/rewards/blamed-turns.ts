/**
 * The turns that feedback blames: of a repeated request, those of failed calls that no later call made good; of an undone
 * action, those that did it.
 */
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

/** Indexes of the turns with at least one call that succeeded, in order. */
export function actedTurns(turns: readonly Pick<Turn, "toolResults">[]): readonly number[] {
  return [...turns.entries()]
    .filter(([, { toolResults }]) => toolResults.some(({ ok }) => ok))
    .map(([index]) => index);
}
