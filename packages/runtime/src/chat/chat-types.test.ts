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
/** The text-only subset of OpenAI's messages. */
type OpenAIText = Extract<
  OpenAI.Chat.ChatCompletionMessageParam,
  { role: "system" | "developer" | "tool" }
>;

test("answers and chunks have OpenAI's types", () => {
  expectTypeOf<ChatCompletion>().toExtend<OpenAI.Chat.ChatCompletion>();
  expectTypeOf<ChatCompletionChunk>().toExtend<OpenAI.Chat.ChatCompletionChunk>();
  // A message of an answer can be sent in the next request.
  expectTypeOf<ChatCompletion["choices"][0]["message"]>().toExtend<ChatMessage>();
});

test("requests have OpenAI's types, except model and response_format", () => {
  expectTypeOf<ChatMessage>().toExtend<OpenAI.Chat.ChatCompletionMessageParam>();
  expectTypeOf<ChatTool>().toExtend<OpenAI.Chat.ChatCompletionTool>();
  type Shared = Omit<ChatRequest, "response_format" | "model"> & { model: string };
  expectTypeOf<Shared>().toExtend<Omit<OpenAIRequest, "response_format">>();
  expectTypeOf<OpenAIText>().toExtend<ChatMessage>();
});

test("create accepts calls written for OpenAI's client", () => {
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

test("a function that is typed for OpenAI's client accepts a chat", () => {
  type Client = {
    chat: {
      completions: {
        create(
          body: OpenAI.Chat.ChatCompletionCreateParamsNonStreaming,
          options?: OpenAI.RequestOptions,
        ): Promise<OpenAI.Chat.ChatCompletion>;
        create(
          body: OpenAI.Chat.ChatCompletionCreateParamsStreaming,
          options?: OpenAI.RequestOptions,
        ): Promise<AsyncIterable<OpenAI.Chat.ChatCompletionChunk>>;
      };
    };
  };
  expectTypeOf<{ chat: Chat }>().toExtend<Client>();
  // OpenAI's own client is accepted as well.
  expectTypeOf<OpenAI>().toExtend<Client>();
});
