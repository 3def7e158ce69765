/** Counts consecutive turns with the same calls and the same results, which bring a rollout no further. */
import { canonicalJson } from "@waggle/protocol";
import type { ToolCall } from "@waggle/protocol";
import type { ChatNext } from "@waggle/text";

/** The repeats of one rollout. */
export class RepeatedTurns {
  #last = "";
  #count = 0;

  /** Adds a turn and what answered it. @returns how many of the last turns were the same, at least 1 */
  add(calls: readonly ToolCall[], { toolResults = [], userMessage }: ChatNext): number {
    // Ids are left out, because no two calls have the same one.
    const turn = canonicalJson([
      calls.map(({ name, arguments: args }) => [name, args]),
      toolResults.map((result) => ({ ...result, callId: "" })),
      userMessage,
    ]);
    this.#count = turn === this.#last ? this.#count + 1 : 1;
    this.#last = turn;
    return this.#count;
  }
}
