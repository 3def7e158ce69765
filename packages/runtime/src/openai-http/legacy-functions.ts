/** OpenAI's deprecated `functions` and `function_call`, which older clients send, as tools and back. */
import { isObject } from "@waggle/protocol";
import type { ChatCompletion, ChatCompletionChunk, ChatFinishReason } from "../chat/chat-types.ts";
import { requestError } from "../chat/request-error.ts";

type Fields = { readonly [name: string]: unknown };

/** Whether a request or one of its messages uses functions. */
export function usesFunctions(body: Fields): boolean {
  const { functions, messages } = body;
  if (Array.isArray(functions) && functions.length > 0) return true;
  if (!Array.isArray(messages)) return false;
  return messages
    .filter(isObject)
    .some((message) => message["role"] === "function" || isObject(message["function_call"]));
}

/** The request with tools. @throws WaggleError `INVALID_ARGUMENT` for a request with functions and tools. */
export function withTools(body: Fields): Fields {
  const { functions, function_call: choice, messages, ...rest } = body;
  if (Array.isArray(rest["tools"]) && rest["tools"].length > 0) {
    throw requestError("INVALID_ARGUMENT", "functions", "and tools cannot be combined");
  }
  return {
    ...rest,
    messages: Array.isArray(messages) ? withCalls(messages) : messages,
    ...(Array.isArray(functions) && {
      tools: functions.map((described: unknown) => ({ type: "function", function: described })),
      parallel_tool_calls: false,
    }),
    ...(choice !== undefined && {
      tool_choice: isObject(choice) ? { type: "function", function: choice } : choice,
    }),
  };
}

/** Messages that name functions, with ids as calls and results of tools have them. */
function withCalls(messages: readonly unknown[]): unknown[] {
  let id = "";
  return messages.map((message, index) => {
    if (!isObject(message)) return message;
    const { function_call: called, name, ...rest } = message;
    if (message["role"] === "function") return { ...rest, role: "tool", tool_call_id: id };
    if (!isObject(called)) return message;
    id = `function_${index}`;
    return { ...rest, name, tool_calls: [{ id, type: "function", function: called }] };
  });
}

/** The answer with a function's call in place of a tool's. */
export function withFunctionCall(answer: ChatCompletion): object {
  return {
    ...answer,
    choices: answer.choices.map(({ message, finish_reason, ...choice }) => {
      const { tool_calls: calls, ...rest } = message;
      return {
        ...choice,
        finish_reason: finishOf(finish_reason),
        message: { ...rest, ...callOf(calls) },
      };
    }),
  };
}

/** As `withFunctionCall`, for a piece of the answer. */
export function chunkWithFunctionCall(chunk: ChatCompletionChunk): object {
  return {
    ...chunk,
    choices: chunk.choices.map(({ delta, finish_reason, ...choice }) => {
      const { tool_calls: calls, ...rest } = delta;
      return {
        ...choice,
        finish_reason: finish_reason === null ? null : finishOf(finish_reason),
        delta: { ...rest, ...callOf(calls) },
      };
    }),
  };
}

function callOf(calls: readonly { readonly function?: object }[] | undefined): object {
  return calls?.[0] === undefined ? {} : { function_call: calls[0].function };
}

function finishOf(reason: ChatFinishReason): ChatFinishReason {
  return reason === "tool_calls" ? "function_call" : reason;
}
