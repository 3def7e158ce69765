import { expect, test } from "vitest";
import { createChat } from "./policy-chat.ts";
import { byteFormat, openScripted, said, SEARCH_TOOL } from "./scripted-chat.fixture.ts";

const user = (content: string) => ({ role: "user" as const, content });

/** An earlier answer that calls a tool with these arguments. */
const calling = (args: string) => ({
  role: "assistant",
  content: null,
  tool_calls: [{ id: "c", type: "function", function: { name: "search", arguments: args } }],
});
const toolResult = { role: "tool", tool_call_id: "c", content: "{}" };

const refused = (extra: object) =>
  openScripted([said("x")]).chat.completions.create({ messages: [user("hi")], ...extra });

test.each([
  [{ top_logprobs: 2, logprobs: true }, "CAPABILITY_MISSING", "top_logprobs"],
  [{ frequency_penalty: 1 }, "CAPABILITY_MISSING", "frequency_penalty"],
  [{ logit_bias: { 5: 1 } }, "CAPABILITY_MISSING", "logit_bias"],
  [
    { tools: [SEARCH_TOOL], response_format: { type: "regex", pattern: "a" } },
    "CAPABILITY_MISSING",
    "tools",
  ],
  [
    { messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "" } }] }] },
    "CAPABILITY_MISSING",
    "image_url",
  ],
  [{ messages: [] }, "INVALID_ARGUMENT", "messages"],
  [{ messages: [toolResult] }, "INVALID_ARGUMENT", "order"],
  [{ messages: [user("x"), calling('["a"]'), toolResult] }, "INVALID_ARGUMENT", "JSON object"],
  [{ messages: [user("x"), calling("null"), toolResult] }, "INVALID_ARGUMENT", "JSON object"],
  [{ temperature: -1 }, "INVALID_ARGUMENT", "temperature"],
  [{ top_p: -1 }, "INVALID_ARGUMENT", "top_p"],
  [{ n: 1.5 }, "INVALID_ARGUMENT", "n is"],
  [{ max_tokens: 0 }, "INVALID_ARGUMENT", "max_tokens"],
  [{ seed: 0.5 }, "INVALID_ARGUMENT", "seed"],
  [{ stop: "" }, "INVALID_ARGUMENT", "stop"],
  [{ tool_choice: "required" }, "INVALID_ARGUMENT", "tool_choice"],
  [
    { tools: [SEARCH_TOOL], tool_choice: { type: "function", function: { name: "no" } } },
    "INVALID_ARGUMENT",
    "no",
  ],
])("%j", async (extra, code, words) => {
  await expect(refused(extra)).rejects.toMatchObject({
    code,
    message: expect.stringContaining(words),
  });
});

test("neutral values of unsupported parameters pass", async () => {
  expect(
    (await refused({ frequency_penalty: 0, top_logprobs: 0, logit_bias: null })).choices,
  ).toHaveLength(1);
});

test("a nucleus of nothing is the most likely token", async () => {
  const { chat, policy } = openScripted([said("x")]);
  await chat.completions.create({ messages: [user("hi")], top_p: 0 });
  expect(policy.contexts[0]?.samples[0]?.sampling).toMatchObject({ topK: 1, topP: 1 });
});

test("a request with a grammar fails on a policy that ignores it", async () => {
  const { policy } = openScripted([said("no JSON")]);
  const forgetful = {
    baseModel: policy.baseModel,
    contextLength: policy.contextLength,
    currentVersion: 0,
    createContext: async () => {
      const session = await policy.createContext();
      const generate = session.generate.bind(session);
      session.generate = ({ grammar: _forgotten, ...options }) => generate(options);
      return session;
    },
  };
  const chat = createChat({ policy: forgetful, format: byteFormat });
  await expect(
    chat.completions.create({ messages: [user("hi")], response_format: { type: "json_object" } }),
  ).rejects.toMatchObject({ code: "CAPABILITY_MISSING" });
});

test("an unreadable call is returned as text, and the record says why", async () => {
  const { chat } = openScripted([said("<tool_call>{oops</tool_call>")]);
  const answer = await chat.completions.create({ messages: [user("hi")], tools: [SEARCH_TOOL] });
  expect(answer.choices[0]).toMatchObject({
    finish_reason: "stop",
    message: { content: "<tool_call>{oops</tool_call>" },
  });
  expect(answer.choices[0]?.record).toMatchObject({
    parse_error: expect.stringContaining("JSON"),
  });
});
