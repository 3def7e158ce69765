/** Deltas as the message they add up to. */
import type { ChatDelta, ChatCompletionMessage, ChatToolCall } from "./chat-types.ts";

export interface MessageFolder {
  push(delta: ChatDelta): void;
  message(): ChatCompletionMessage;
}

export function createMessageFolder(): MessageFolder {
  let content = "";
  const calls: ChatToolCall[] = [];
  return {
    push(delta) {
      content += delta.content ?? "";
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
    message: () => ({
      role: "assistant",
      content: content === "" && calls.length > 0 ? null : content,
      refusal: null,
      ...(calls.length > 0 && { tool_calls: calls }),
    }),
  };
}
