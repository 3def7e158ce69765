/** Our server with the official client, and with requests that no client should send. */
import * as fc from "fast-check";
import OpenAI from "openai";
import { zodFunction, zodResponseFormat } from "openai/helpers/zod";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { localServer } from "../../../../test/fixtures/local-server.ts";
import {
  byteTokenizer,
  CALL,
  openScripted,
  said,
  SEARCH_TOOL,
} from "../chat/scripted-chat.fixture.ts";
import { createChatHandler } from "./chat-handler.ts";

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** OpenAI's client of a server whose model says these texts. */
async function connect(...texts: string[]) {
  const { chat, policy } = openScripted(texts.map((text) => said(text)));
  const { origin, close } = await localServer(createChatHandler(chat, { model: "org/nano" }));
  closers.push(close);
  const client = new OpenAI({ baseURL: `${origin}/v1`, apiKey: "none", maxRetries: 0 });
  return { client, policy };
}

const user = { role: "user" as const, content: "hi" };
const model = "nano";
const weather = { name: "weather", parameters: { type: "object" as const, properties: {} } };
const WEATHER = '<tool_call>{"name":"weather","arguments":{}}</tool_call>';
const called = (call: unknown) => [user, { role: "assistant", content: null, tool_calls: call }];

describe("odd values are refused with OpenAI's error object", () => {
  test.each<[unknown]>([
    [null],
    [[]],
    ["text"],
    [{}],
    [{ messages: {} }],
    [{ messages: [null] }],
    [{ messages: [{ role: "user", content: 5 }] }],
    [{ messages: [{ role: "user", content: {} }] }],
    [{ messages: [{ role: "user", content: null }] }],
    [{ messages: [{ role: "user", content: [null] }] }],
    [{ messages: [{ role: "user", content: [{ type: "text", text: 5 }] }] }],
    [{ messages: [{ role: "critic", content: "x" }] }],
    [{ messages: called([null]) }],
    [{ messages: called({}) }],
    [{ messages: called([{ id: "a" }]) }],
    [{ messages: called([{ id: "a", type: "function", function: { name: "s", arguments: {} } }]) }],
    [{ messages: [user], tools: {} }],
    [{ messages: [user], tools: [null] }],
    [{ messages: [user], tools: [{}] }],
    [{ messages: [user], tools: [{ type: "custom", custom: { name: "a" } }] }],
    [{ messages: [user], tools: [{ type: "function", function: {} }] }],
    [{ messages: [user], tools: [{ type: "function", function: { name: "a", parameters: "x" } }] }],
    [{ messages: [user], tools: [SEARCH_TOOL], tool_choice: 5 }],
    [{ messages: [user], tools: [SEARCH_TOOL], tool_choice: {} }],
    [{ messages: [user], stop: 5 }],
    [{ messages: [user], stop: {} }],
    [{ messages: [user], stream: "yes" }],
    [{ messages: [user], stream: true, stream_options: 5 }],
    [{ messages: [user], model: 5 }],
    [{ messages: [user], logprobs: 5 }],
    [{ messages: [user], response_format: "json" }],
    [{ messages: [user], response_format: { type: "grammar" } }],
    [{ messages: [user], response_format: { type: "json_schema" } }],
    [{ messages: [user], response_format: { type: "json_schema", json_schema: { schema: "x" } } }],
    [{ messages: [user], response_format: { type: "regex", pattern: 5 } }],
    [{ messages: [user], modalities: ["audio"] }],
    [{ messages: [user], functions: [null] }],
    [{ messages: [user], functions: [weather], tools: [SEARCH_TOOL] }],
  ])("%j", async (body) => {
    const handle = createChatHandler(openScripted([said("x")]).chat);
    const url = "http://edge.test/v1/chat/completions";
    const response = await handle(new Request(url, { method: "POST", body: JSON.stringify(body) }));
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      error: {
        message: expect.any(String),
        type: "invalid_request_error",
        param: expect.toBeOneOf([null, expect.any(String)]),
        code: expect.stringMatching(/^(INVALID_ARGUMENT|CAPABILITY_MISSING)$/),
      },
    });
  });
});

/** Any JSON value, and values that have failed before. */
const anything = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom({}, [], [[]], [null], ""));

test("no value of any field is an internal error", async () => {
  const fields = [
    "messages",
    "model",
    "stream",
    "stream_options",
    "tools",
    "tool_choice",
    "seed",
    "stop",
    "parallel_tool_calls",
    "response_format",
    "logprobs",
    "top_logprobs",
    "logit_bias",
    "max_tokens",
    "temperature",
    "top_p",
    "top_k",
    "functions",
    "function_call",
    "modalities",
  ];
  const message = fc.record({
    role: fc.constantFrom("system", "user", "assistant", "tool", "function"),
    content: fc.oneof(fc.string(), anything),
    tool_calls: anything,
    function_call: anything,
    refusal: anything,
    prefix: anything,
  });
  const bodies = fc.oneof(
    fc.tuple(fc.constantFrom(...fields), anything).map(([name, value]) => ({
      messages: [user],
      tools: [SEARCH_TOOL],
      [name]: value,
    })),
    fc.array(message, { maxLength: 4 }).map((messages) => ({ messages })),
    fc.record({ prompt: anything, max_tokens: anything, echo: anything }),
  );
  const path = fc.constantFrom("chat/completions", "completions");
  await fc.assert(
    fc.asyncProperty(bodies, path, async (body, route) => {
      const handle = createChatHandler(openScripted([said("x")]).chat);
      const request = { method: "POST", body: JSON.stringify(body) };
      const response = await handle(new Request(`http://edge.test/v1/${route}`, request));
      expect([200, 400]).toContain(response.status);
      expect(await response.text()).not.toContain("INTERNAL");
    }),
    { numRuns: 300 },
  );
});

test("a refused field is named, and a prompt that is too long has OpenAI's code", async () => {
  const { client } = await connect();
  const content = [{ type: "text" as const, text: 5 as unknown as string }];
  const ask = (extra: object) =>
    client.chat.completions.create({ model, messages: [user], ...extra });
  const at = "messages[0].content[0].text";
  await expect(ask({ messages: [{ ...user, content }] })).rejects.toMatchObject({ param: at });
  await expect(ask({ logit_bias: { 5: 1 } })).rejects.toMatchObject({ param: "logit_bias" });
  const { chat } = openScripted([], { policyOptions: { contextLength: 10 } });
  const handle = createChatHandler(chat);
  const body = JSON.stringify({ messages: [user] });
  const request = new Request("http://edge.test/chat/completions", { method: "POST", body });
  expect(await (await handle(request)).json()).toMatchObject({
    error: { code: "context_length_exceeded", message: expect.stringMatching(/maximum context/) },
  });
});

test("a stream that fails before its first token has the status of the failure", async () => {
  const { client } = await connect();
  const response_format = {
    type: "json_schema" as const,
    json_schema: { name: "a", schema: { type: "object", properties: { a: { type: "str" } } } },
  };
  const stream = client.chat.completions.create({
    model,
    messages: [user],
    stream: true,
    response_format,
  });
  await expect(stream).rejects.toMatchObject({ status: 400, type: "invalid_request_error" });
});

test("the client's helpers parse an answer and run tools", async () => {
  const { client } = await connect('{"email":"a@b.org"}', CALL, "Found é.");
  const parsed = await client.chat.completions.parse({
    model,
    messages: [user],
    response_format: zodResponseFormat(z.object({ email: z.email() }), "person"),
  });
  expect(parsed.choices[0]?.message.parsed).toEqual({ email: "a@b.org" });
  const runner = client.chat.completions.runTools({
    model,
    messages: [user],
    tools: [
      zodFunction({
        name: "search",
        parameters: z.object({ query: z.string() }),
        function: ({ query }) => `found ${query}`,
      }),
    ],
  });
  expect(await runner.finalContent()).toBe("Found é.");
  expect(await runner.finalFunctionToolCallResult()).toBe("found é");
});

test("only allowed tools can be called", async () => {
  const { client, policy } = await connect(CALL);
  const search = { type: "function", function: { name: "search" } };
  const ask = (tools: { [name: string]: unknown }[]) =>
    client.chat.completions.create({
      model,
      messages: [user],
      tools: [SEARCH_TOOL, { type: "function", function: weather }],
      tool_choice: { type: "allowed_tools", allowed_tools: { mode: "required", tools } },
    });
  expect((await ask([search])).choices[0]?.finish_reason).toBe("tool_calls");
  expect(policy.contexts[0]?.samples[0]?.grammar).toMatchObject({
    tools: [{ name: "search" }],
    choice: "required",
  });
  await expect(ask([{ type: "function", function: { name: "no" } }])).rejects.toMatchObject({
    status: 400,
    code: "INVALID_ARGUMENT",
  });
});

test("an unknown response format is named, and not ignored", async () => {
  const { client } = await connect("Hello.");
  const response_format = { type: "grammar" } as unknown as { type: "text" };
  await expect(
    client.chat.completions.create({ model, messages: [user], response_format }),
  ).rejects.toMatchObject({
    status: 400,
    type: "invalid_request_error",
    message: expect.stringContaining("response_format.type"),
  });
});

test("parameters without effect are accepted", async () => {
  const { client } = await connect("Hello.");
  const answer = await client.chat.completions.create({
    model,
    messages: [{ ...user, name: "ann" }],
    n: 1,
    logit_bias: { 5: 0 },
    store: true,
    metadata: { page: "shop" },
    user: "visitor",
    safety_identifier: "visitor",
    prompt_cache_key: "shop",
    service_tier: "auto",
    frequency_penalty: 0,
    presence_penalty: 0,
    top_logprobs: null,
    modalities: ["text"],
    audio: null,
    prediction: { type: "content", content: "Hel" },
    reasoning_effort: "low",
    verbosity: "low",
    functions: [],
    function_call: "none",
    tools: [],
    parallel_tool_calls: true,
    seed: null,
    stop: null,
    response_format: { type: "text" },
  });
  expect(answer.choices[0]?.message.content).toBe("Hello.");
});

test("tools and a response format go together", async () => {
  const { client, policy } = await connect('{"a":1}', CALL);
  const schema = { type: "object", properties: { a: { type: "number" } } };
  const asked = {
    model,
    messages: [user],
    tools: [SEARCH_TOOL],
    response_format: { type: "json_schema" as const, json_schema: { name: "a", schema } },
  };
  const answer = await client.chat.completions.create(asked);
  expect(answer.choices[0]?.message.content).toBe('{"a":1}');
  expect(policy.contexts[0]?.samples[0]?.grammar).toMatchObject({
    kind: "tool-calls",
    answer: schema,
  });
  const calling = await client.chat.completions.create(asked);
  expect(calling.choices[0]?.message.tool_calls).toHaveLength(1);
  expect(calling.choices[0]?.finish_reason).toBe("tool_calls");
});

/** The prompt that the model read, as text. */
async function promptOf(messages: OpenAI.ChatCompletionMessageParam[]): Promise<string> {
  const { client } = await connect("Fine.");
  const answer = await client.chat.completions.create({ model, messages });
  const [choice] = answer.choices as unknown as { record: { prompt_token_ids: number[] } }[];
  return byteTokenizer.decode(choice!.record.prompt_token_ids);
}

test("system messages may stand anywhere, and a conversation may begin with any role", async () => {
  const said1 = { role: "assistant" as const, content: "Yo." };
  const later = { role: "system" as const, content: "Be brief." };
  const middle = await promptOf([user, said1, later, { role: "user", content: "Why?" }]);
  expect(middle.slice(middle.indexOf("Yo."))).toContain("Be brief.\n\nWhy?");
  expect(await promptOf([user, { role: "developer", content: "Be brief." }])).toContain(
    "Be brief.",
  );
  const last = await promptOf([user, said1, later]);
  expect(last.slice(last.indexOf("Yo."))).toContain("Be brief.");
  expect(await promptOf([later])).toContain("Be brief.");
  expect(await promptOf([said1, user])).toContain("Yo.");
});

test("an earlier refusal is read as the assistant's text", async () => {
  const part = { type: "refusal" as const, refusal: "I cannot." };
  expect(await promptOf([user, { role: "assistant", content: [part] }, user])).toContain(
    "I cannot.",
  );
  expect(
    await promptOf([user, { role: "assistant", content: null, refusal: "I cannot." }, user]),
  ).toContain("I cannot.");
});

test("models are listed and found", async () => {
  const { client } = await connect();
  expect((await client.models.list()).data).toEqual([
    { id: "org/nano", object: "model", created: 0, owned_by: "waggle" },
  ]);
  expect(await client.models.retrieve("org/nano")).toMatchObject({ id: "org/nano" });
  await expect(client.models.retrieve("other%")).rejects.toMatchObject({ status: 404 });
  expect((await fetch(`${client.baseURL}/models/org/nano`)).status).toBe(200);
});

test("a text completion answers its prompt, whole and as a stream", async () => {
  const { client, policy } = await connect("Once upon", "Once upon");
  const asked = { model, prompt: "Tell a story.", max_tokens: 20 };
  const answer = await client.completions.create(asked);
  expect(answer).toMatchObject({
    object: "text_completion",
    choices: [{ index: 0, text: "Once upon", finish_reason: "stop", logprobs: null }],
    usage: { completion_tokens: 10 },
  });
  let text = "";
  for await (const chunk of await client.completions.create({ ...asked, stream: true })) {
    text += chunk.choices[0]?.text ?? "";
  }
  expect(text).toBe("Once upon");
  expect(policy.contexts[0]?.samples).toHaveLength(1);
  for (const extra of [
    { prompt: ["a", "b"], stream: true },
    { prompt: [1, 2] },
    { prompt: "x", echo: true },
  ]) {
    const refused = client.completions.create({ model, ...extra });
    await expect(refused).rejects.toMatchObject({ status: 400, code: "CAPABILITY_MISSING" });
  }
});

test("deprecated functions work in a whole answer, a stream and a conversation", async () => {
  const { client } = await connect(WEATHER, WEATHER, "Sunny.");
  const asked = { model, messages: [user], functions: [weather] };
  const answer = await client.chat.completions.create({
    ...asked,
    function_call: { name: "weather" },
  });
  const [choice] = answer.choices;
  expect(choice).toMatchObject({
    finish_reason: "function_call",
    message: { content: null, function_call: { name: "weather", arguments: "{}" } },
  });
  expect(choice?.message.tool_calls).toBeUndefined();
  const streamed = await client.chat.completions.stream(asked).finalMessage();
  expect(streamed.function_call).toMatchObject({ name: "weather", arguments: "{}" });
  const messages = [
    user,
    choice!.message,
    { role: "function" as const, name: "weather", content: "21 C" },
  ];
  const after = await client.chat.completions.create({ ...asked, messages });
  expect(after.choices[0]).toMatchObject({
    finish_reason: "stop",
    message: { content: "Sunny." },
  });
});
