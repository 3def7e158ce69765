import type OpenAI from "openai";
import { expectTypeOf, test } from "vitest";
import type {
  Chat,
  ChatCompletion,
  ChatCompletionChunk,
  ChatMessage,
  ChatRequest,
  ChatTool,
} from "./chat-types.ts";

type OpenAIRequest = OpenAI.Chat.ChatCompletionCreateParams;
/** What of OpenAI's messages is text. */
type OpenAIText = Extract<
  OpenAI.Chat.ChatCompletionMessageParam,
  { role: "system" | "developer" | "tool" }
>;

test("answers and chunks are OpenAI's", () => {
  expectTypeOf<ChatCompletion>().toExtend<OpenAI.Chat.ChatCompletion>();
  expectTypeOf<ChatCompletionChunk>().toExtend<OpenAI.Chat.ChatCompletionChunk>();
  // A message of an answer is a message of the next request.
  expectTypeOf<ChatCompletion["choices"][0]["message"]>().toExtend<ChatMessage>();
});

test("requests are OpenAI's but for the model's name and our own format", () => {
  expectTypeOf<ChatMessage>().toExtend<OpenAI.Chat.ChatCompletionMessageParam>();
  expectTypeOf<ChatTool>().toExtend<OpenAI.Chat.ChatCompletionTool>();
  type Shared = Omit<ChatRequest, "response_format" | "model"> & { model: string };
  expectTypeOf<Shared>().toExtend<Omit<OpenAIRequest, "response_format">>();
  expectTypeOf<OpenAIText>().toExtend<ChatMessage>();
});

test("create takes what a caller of OpenAI's client writes", () => {
  const call = (chat: Chat) =>
    chat.completions.create({
      model: "m",
      messages: [
        { role: "system", content: "s" },
        { role: "user", content: [{ type: "text", text: "u" }] },
      ],
      stream: true,
    });
  expectTypeOf(call).returns.resolves.toEqualTypeOf<AsyncIterable<ChatCompletionChunk>>();
});
