/** Folds deltas into a message. */
import type { ChatDelta, ChatCompletionMessage, ChatToolCall } from "./chat-types.ts";

export interface MessageFolder {
  push(delta: ChatDelta): void;
  /** @param countsCalls - false if calls could not be parsed and remain part of the text. */
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
