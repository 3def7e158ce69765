/** Requirements of the chat interfaces: `createLocalChat`, the AI SDK, the Prompt API and OpenAI's API. */
import type { Requirement } from "./requirement.ts";

export const CHAT_REQUIREMENTS: readonly Requirement[] = [
  {
    id: "runtime:chat",
    source: "OpenAI, chat completions",
    behavior:
      "Chats have OpenAI's API: streams, tools, response formats, n, seed, stop, usage. A conversation is prefilled once.",
    tests: [
      "packages/runtime/src/chat/policy-chat.test.ts > has OpenAI's shape, with usage, a fingerprint, timings and a record for learning",
      "packages/runtime/src/chat/policy-chat.test.ts > streams chunks that fold into the same answer, with usage on the last one",
      "packages/runtime/src/chat/policy-chat.test.ts > a conversation is read once, with its answers as sampled",
      "packages/runtime/src/chat/nano-chat.test.ts > required calls, a named call and a schema are enforced, and the grammar is recorded",
      "packages/runtime/src/chat/chat-types.test.ts > create accepts calls written for OpenAI's client",
      "packages/runtime/src/chat/local-chat.browser.test.ts > a model address becomes a chat: loaded with progress, constrained by a schema, then available",
    ],
  },
  {
    id: "runtime:ai-sdk",
    source: "AI SDK 7, LanguageModelV4",
    behavior:
      "A chat is a model of the AI SDK: text, tools over steps, streams, availability and progress, with records in its metadata.",
    tests: [
      "packages/runtime/src/ai-sdk/language-model.test.ts > generateText returns text, usage and the record",
      "packages/runtime/src/ai-sdk/language-model.test.ts > tools run over several steps of one conversation, whose tokens are read once",
      "packages/runtime/src/ai-sdk/language-model.test.ts > streamText yields every part in order",
      "packages/runtime/src/ai-sdk/language-model.test.ts > a model that is not loaded says so, loads once with progress, and can be retried",
      "packages/runtime/src/ai-sdk/language-model.test.ts > the SDK retries an error that may pass, and sees others as its own",
    ],
  },
  {
    id: "runtime:prompt-api",
    source: "webmachinelearning.github.io/prompt-api",
    behavior:
      "The browser's model is available as a chat, and a chat as the browser's LanguageModel where there is none. It follows the draft's IDL and Chromium, but for listed deviations.",
    tests: [
      "packages/runtime/src/prompt-api/browser-model.test.ts > the browser's model answers as a chat, without a learnable record",
      "packages/runtime/src/prompt-api/language-model.test.ts > on overflow loses the oldest turns, not the initial ones, and fires an event",
      "packages/runtime/src/prompt-api/prompt-api.browser.test.ts > a browser's LanguageModel without a model is replaced by ours",
      "packages/runtime/src/prompt-api/prompt-api.browser.test.ts > ours has every member of Chromium's LanguageModel",
      "packages/runtime/src/prompt-api/prompt-api.browser.test.ts > create refuses what Chromium refuses, but for the listed deviations",
      "packages/runtime/src/prompt-api/draft-behavior.test.ts > promptStreaming throws for wrong arguments and aborted signals; prompt rejects",
      "packages/runtime/src/prompt-api/draft-behavior.test.ts > sampling modes and parameters reach the model",
      "packages/runtime/src/prompt-api/draft-behavior.test.ts > the signal of create destroys the session later",
      "packages/runtime/src/prompt-api/draft-behavior.test.ts > progress has steps of at least 1/65536, and ends with 1",
      "packages/runtime/src/prompt-api/draft-behavior.test.ts > a failure has the draft's name",
      "packages/runtime/src/prompt-api/dom-chromium-ai.test.ts > options and prompts of pages fit our parameters",
      "test/contract/prompt-api.test.ts > the page has a row for each member of the draft, and no other",
      "test/contract/prompt-api.test.ts > %s differs as the page says",
      "test/contract/prompt-api.test.ts > the class has the draft's interface, and reads options once and in Web IDL's order",
    ],
  },
  {
    id: "runtime:openai-http",
    source: "docs/how-to/runtime.md, Fall back to a server",
    behavior:
      "A chat on a server is used if none runs in the browser. Ours can be served to OpenAI's client.",
    tests: [
      "packages/runtime/src/openai-http/http-chat.test.ts > answers over HTTP as it does locally, including records",
      "packages/runtime/src/openai-http/http-chat.test.ts > works with OpenAI's own client, with and without streaming, with tools and errors",
      "packages/runtime/src/openai-http/http-chat.test.ts > that is unreachable, or drops the connection, is a retryable NETWORK error",
      "packages/runtime/src/openai-http/http-chat.test.ts > the first source that opens is used, and an abort ends the search",
    ],
  },
  {
    id: "runtime:openai-clients",
    source:
      "OpenAI, chat completions, completions, models and errors; vLLM and Hugging Face's servers",
    behavior:
      "Whatever OpenAI's client sends is answered or refused with OpenAI's error object. Our client reads what other servers send.",
    tests: [
      "packages/runtime/src/openai-http/chat-handler.test.ts > no value of any field is an internal error",
      "packages/runtime/src/openai-http/chat-handler.test.ts > only allowed tools can be called",
      "packages/runtime/src/openai-http/chat-handler.test.ts > an unknown response format is named, and not ignored",
      "packages/runtime/src/openai-http/chat-handler.test.ts > parameters without effect are accepted",
      "packages/runtime/src/openai-http/chat-handler.test.ts > tools and a response format go together",
      "packages/runtime/src/openai-http/chat-handler.test.ts > system messages may stand anywhere, and a conversation may begin with any role",
      "packages/runtime/src/openai-http/chat-handler.test.ts > an earlier refusal is read as the assistant's text",
      "packages/runtime/src/openai-http/chat-handler.test.ts > models are listed and found",
      "packages/runtime/src/openai-http/chat-handler.test.ts > a text completion answers its prompt, whole and as a stream",
      "packages/runtime/src/openai-http/chat-handler.test.ts > deprecated functions work in a whole answer, a stream and a conversation",
      "packages/runtime/src/openai-http/http-chat.test.ts > may end its stream without [DONE], once every choice has ended",
      "packages/runtime/src/openai-http/http-chat.test.ts > gets the token limit under %s",
      "packages/runtime/src/openai-http/served-schemas.test.ts > tools with all of these schemas can be offered together",
      "packages/text/src/grammar/tool-calls-answer.test.ts > a turn is a call or an answer of the schema in the format %s",
    ],
  },
  {
    id: "runtime:scripted-chat",
    source: "docs/how-to/runtime.md, Testing what you build",
    behavior: "A scripted chat replaces a model in users' tests.",
    tests: [
      "packages/runtime/src/testing/scripted-chat.test.ts > a script is streamed word by word, and every request is recorded",
      "packages/runtime/src/testing/scripted-chat.test.ts > it can replace a model of the AI SDK",
    ],
  },
];
