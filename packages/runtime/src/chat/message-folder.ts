/** Deltas as the message they add up to. */
import type { ChatDelta, ChatCompletionMessage, ChatToolCall } from "./chat-types.ts";

export interface MessageFolder {
  push(delta: ChatDelta): void;
  /** @param countsCalls - false where they could not be read: they then stand in the text. */
  message(countsCalls?: boolean): ChatCompletionMessage;
}

export function createMessageFolder(): MessageFolder {
  let content = "";
  let reasoning = "";
  const calls: ChatToolCall[] = [];
  return {
    push(delta) {
      content += delta.content ?? "";
      reasoning += delta.reasoning_content ?? "";
      for (const part of delta.tool_calls ?? []) {
        const call = (calls[part.index] ??= {
          id: "",
          type: "function",
          function: { name: "", arguments: "" },
        });
        if (part.id !== undefined) call.id = part.id;
        call.function.name += part.function?.name ?? "";
        call.function.arguments += part.function?.arguments ?? "";
      }
    },
    message: (countsCalls = true) => {
      const hasCalls = countsCalls && calls.length > 0;
      return {
        role: "assistant",
        content: content === "" && hasCalls ? null : content,
        refusal: null,
        ...(reasoning !== "" && { reasoning_content: reasoning }),
        ...(hasCalls && { tool_calls: calls }),
      };
    },
  };
}
