/**
 * A sampled turn as it comes: text in whole characters, told apart from tool calls. For showing
 * only; `parseAssistant` decides what was called.
 */
import type { Tokenizer } from "./tokenizer.ts";
import { TOOL_CALL_CLOSE, TOOL_CALL_OPEN } from "./tool-call-text.ts";

/** Never empty. The tags belong to the call. */
export type AssistantDelta = { readonly text: string; readonly part: "text" | "tool-call" };

export interface AssistantDecoder {
  /** What can be shown now; text that may be the beginning of a tag waits. */
  push(tokenId: number): AssistantDelta[];
  /** What waited. */
  end(): AssistantDelta[];
}

/** A decoder for one turn. */
export function createAssistantDecoder(tokenizer: Tokenizer): AssistantDecoder {
  const stream = tokenizer.createStreamDecoder({ skipSpecialTokens: true });
  let part: AssistantDelta["part"] = "text";
  let held = "";

  const read = (text: string, isEnd: boolean): AssistantDelta[] => {
    const deltas: AssistantDelta[] = [];
    held += text;
    for (;;) {
      const tag = part === "text" ? TOOL_CALL_OPEN : TOOL_CALL_CLOSE;
      const at = held.indexOf(tag);
      const keep = at === -1 ? (isEnd ? 0 : beginningOf(tag, held)) : held.length - at;
      deltas.push({ part, text: held.slice(0, held.length - keep) });
      held = held.slice(held.length - keep);
      if (at === -1) return deltas.filter((delta) => delta.text !== "");
      deltas.push({ part: "tool-call", text: tag });
      held = held.slice(tag.length);
      part = part === "text" ? "tool-call" : "text";
    }
  };

  return {
    push: (tokenId) => read(stream.push(tokenId), false),
    end: () => read(stream.end(), true),
  };
}

/** Length of the longest end of `text` with which `tag` could begin. */
function beginningOf(tag: string, text: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(tag.slice(0, length))) return length;
  }
  return 0;
}
