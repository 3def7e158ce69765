/**
 * Converts a conversation to tokens to imitate, with the renderer that pages and trainer share. Assistant
 * turns are the target; everything else is context.
 */
import type { TrainSequence } from "@waggle/protocol";
import type { ChatFormat, RenderedSegment } from "@waggle/text";
import type { Conversation } from "./conversation.ts";

/** Tokens with their loss mask. All arrays are `[T]`. */
export type SupervisedSample = {
  readonly sequence: TrainSequence;
  readonly lossMask: readonly boolean[];
};

/**
 * The tokens that a policy would have read and sampled in this conversation, up to its last turn. Calls that are only in
 * a turn's text are read from it.
 *
 * @throws WaggleError `TEMPLATE_NOT_APPEND_ONLY`, as `ChatFormat.next` does.
 */
export function toSupervisedSample(
  conversation: Pick<Conversation, "system" | "tools" | "userMessage" | "turns">,
  format: ChatFormat,
): SupervisedSample {
  const tokenIds: number[] = [];
  const lossMask: boolean[] = [];
  const add = (ids: readonly number[], isTarget: boolean): void => {
    for (const id of ids) {
      tokenIds.push(id);
      lossMask.push(isTarget);
    }
  };
  const give = (segments: readonly RenderedSegment[]): void => {
    for (const segment of segments) add(segment.tokenIds, false);
  };
  const { system, tools, userMessage, turns } = conversation;
  give(format.start({ system, tools, userMessage }));
  for (const [index, turn] of turns.entries()) {
    const { text, toolCalls } = turn.toolCalls.length === 0 ? spoken(turn.text, format) : turn;
    add(format.encodeAssistant(text, toolCalls), turn.isTarget !== false);
    if (index === turns.length - 1) break;
    give(
      format.next({
        sampledEnded: true,
        ...(turn.toolResults.length === 0 ? {} : { toolResults: turn.toolResults }),
        ...(turn.userMessage === undefined ? {} : { userMessage: turn.userMessage }),
      }),
    );
  }
  return { sequence: { tokenIds }, lossMask };
}

/** The calls in a text and what is beside them; the text itself if it has none or an unreadable one. */
function spoken(text: string, format: ChatFormat) {
  const parsed = format.parseAssistant(text);
  const hasCalls = parsed.parseError === null && parsed.toolCalls.length > 0;
  return hasCalls ? parsed : { text, toolCalls: [] };
}
