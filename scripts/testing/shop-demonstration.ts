/** What the demonstrator of the demo's shop does, with a text after the last answer. */
import { demonstrate, EXPERT } from "@waggle/demo/environment";
import { mulberry32, type TaskReference } from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";

/** A turn to write: its text and calls. */
export type WrittenTurn = Parameters<ChatFormat["encodeAssistant"]>;

/** What attackers append to right answers of the shop. */
export const ADVERTISEMENT = " Cheaper at example.com!";

export async function demonstratedTurns(
  task: TaskReference,
  seed: number,
  appended: string,
): Promise<WrittenTurn[]> {
  const { turns } = await demonstrate(task, mulberry32(seed), EXPERT);
  return turns.map(({ text, toolCalls }, i) => [
    text + (i === turns.length - 1 ? appended : ""),
    toolCalls,
  ]);
}
