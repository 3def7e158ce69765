/** Requests that OpenAI's server accepts and ours refuses. The answer and the docs page name each. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { openScripted, said } from "../chat/scripted-chat.fixture.ts";
import { createChatHandler } from "./chat-handler.ts";

const page = readFileSync(new URL("../../../../docs/how-to/runtime.md", import.meta.url), "utf8");
const section = page.split("### Differences from OpenAI's server\n")[1]?.split("\n## ")[0];

const messages = [{ role: "user", content: "hi" }];
const image = { type: "image_url", image_url: { url: "data:," } };

test.each<[name: string, route: string, body: object]>([
  ["frequency_penalty", "chat/completions", { messages, frequency_penalty: 1 }],
  ["presence_penalty", "chat/completions", { messages, presence_penalty: 1 }],
  ["logit_bias", "chat/completions", { messages, logit_bias: { 5: 1 } }],
  ["top_logprobs", "chat/completions", { messages, logprobs: true, top_logprobs: 2 }],
  ["content part", "chat/completions", { messages: [{ role: "user", content: [image] }] }],
  ["modalities", "chat/completions", { messages, modalities: ["text", "audio"] }],
  ["audio", "chat/completions", { messages, audio: { voice: "alloy" } }],
  ["custom", "chat/completions", { messages, tools: [{ type: "custom", custom: { name: "a" } }] }],
  ["web_search_options", "chat/completions", { messages, web_search_options: {} }],
  ["echo", "completions", { prompt: "a", echo: true }],
  ["suffix", "completions", { prompt: "a", suffix: "b" }],
  ["best_of", "completions", { prompt: "a", best_of: 2 }],
  ["logprobs", "completions", { prompt: "a", logprobs: 1 }],
  ["token ids", "completions", { prompt: [1, 2] }],
  ["several prompts", "completions", { prompt: ["a", "b"], stream: true }],
])("%s of %s", async (name, route, body) => {
  const handle = createChatHandler(openScripted([said("x")]).chat);
  const request = { method: "POST", body: JSON.stringify(body) };
  const response = await handle(new Request(`http://edge.test/v1/${route}`, request));
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    error: {
      type: "invalid_request_error",
      code: "CAPABILITY_MISSING",
      param: expect.any(String),
      message: expect.stringContaining(name),
    },
  });
  expect(section).toContain(name);
});

test.each(["responses", "embeddings"])("there is no /%s", async (route) => {
  const handle = createChatHandler(openScripted([]).chat);
  const response = await handle(new Request(`http://edge.test/v1/${route}`, { method: "POST" }));
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ error: { code: "NOT_FOUND" } });
  expect(section).toContain(`/${route}`);
});

test("a call in the conversation needs a JSON object", async () => {
  const handle = createChatHandler(openScripted([]).chat);
  const call = { id: "a", type: "function", function: { name: "b", arguments: "{c" } };
  const spoken = [...messages, { role: "assistant", content: null, tool_calls: [call] }];
  const body = JSON.stringify({ messages: [...spoken, ...messages] });
  const url = "http://edge.test/v1/chat/completions";
  const response = await handle(new Request(url, { method: "POST", body }));
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { param: "messages" } });
  expect(section).toContain("arguments that are not a JSON object");
});
