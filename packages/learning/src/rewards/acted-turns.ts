/** Turns that did what a visitor undid: those with a call that succeeded. */
import type { Turn } from "@waggle/protocol";

/** Indexes of the turns with at least one call that succeeded, in order. */
export function actedTurns(turns: readonly Pick<Turn, "toolResults">[]): readonly number[] {
  return [...turns.entries()]
    .filter(([, { toolResults }]) => toolResults.some(({ ok }) => ok))
    .map(([index]) => index);
}
