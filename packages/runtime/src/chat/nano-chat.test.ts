/** Chats over the nano model in Node: which tokens are read again, and what is recorded. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseDecoderConfig, readModelWeights } from "@waggle/model";
import { readChatFormat } from "@waggle/text";
import { expect, test } from "vitest";
import type { DecoderBackend, DecoderRow } from "../backend/decoder-backend.ts";
import { createNodeBackend } from "../node/node-backend.ts";
import { openGrammars } from "../session/open-grammars.ts";
import { createScheduledPolicy } from "../session/scheduled-policy.ts";
import type { ScheduledPolicy } from "../session/scheduled-policy.ts";
import type { ChatMessage, ChatRecord, ChatTool } from "./chat-types.ts";
import { createChat } from "./policy-chat.ts";

const FOLDER = fileURLToPath(new URL("../../../model/nano/", import.meta.url));
const files = new Map(
  readdirSync(FOLDER).map((name) => [name, new Uint8Array(readFileSync(`${FOLDER}${name}`))]),
);
const text = (name: string) => new TextDecoder().decode(files.get(name));
const config = parseDecoderConfig(JSON.parse(text("config.json")));
const weights = await readModelWeights(files);
const format = readChatFormat(files);

/** Counts the tokens that runs read. */
function counting(backend: DecoderBackend, read: { tokens: number }): DecoderBackend {
  return {
    dtype: backend.dtype,
    kernels: backend.kernels,
    memory: () => backend.memory(),
    dispose: () => backend.dispose(),
    open: async (adapter, scale) => {
      const session = await backend.open(adapter, scale);
      const run = session.run.bind(session);
      session.run = (rows: readonly DecoderRow[]) => {
        for (const row of rows) read.tokens += row.tokenIds.length;
        return run(rows);
      };
      return session;
    },
  };
}

async function open() {
  const read = { tokens: 0 };
  const policy = await createScheduledPolicy({
    openBackend: async () =>
      counting(createNodeBackend({ config, weights, contextLength: 512, threads: 1 }), read),
    client: { build: "0", backend: "node-cpu", device: "cpu", crossOriginIsolated: false },
    baseModel: "a".repeat(64),
    contextLength: 512,
    vocabularySize: config.vocabularySize,
    openGrammars: () => openGrammars(files, config.vocabularySize),
  });
  return { policy, read, chat: createChat({ policy, format, model: "nano" }) };
}

const TOOLS: ChatTool[] = [
  {
    type: "function",
    function: {
      name: "search",
      parameters: {
        type: "object",
        properties: { query: { type: "string" }, maxPrice: { type: "number" } },
        required: ["query"],
        additionalProperties: false,
      },
    },
  },
  {
    type: "function",
    function: {
      name: "total",
      parameters: { type: "object", properties: {}, additionalProperties: false },
    },
  },
];
const learnable = (record: ChatRecord | undefined) => {
  if (record?.learnable !== true) throw new Error("the record is not learnable");
  return record;
};

/** Compares with scores of the same tokens in a new session. */
async function expectFresh(policy: ScheduledPolicy, record: ChatRecord | undefined) {
  const { prompt_token_ids: prompt, token_ids: sampled, behavior_logprobs } = learnable(record);
  const { behaviorLogProbs } = await policy.score({
    tokenIds: [...prompt, ...sampled],
    sampling: { temperature: 1, topK: 0, topP: 1 },
  });
  const gaps = behavior_logprobs.map((value, at) =>
    Math.abs(value - behaviorLogProbs[prompt.length + at]!),
  );
  expect(Math.max(...gaps)).toBeLessThan(1e-4);
}

test("turns, branches and groups read only new tokens, and score like fresh sessions", async () => {
  const { policy, read, chat } = await open();
  const messages: ChatMessage[] = [
    { role: "system", content: "You help in a shop." },
    { role: "user", content: "How much is my cart?" },
  ];
  const ask = async (n: number, seed: number) => {
    const before = read.tokens;
    const answer = await chat.completions.create({ messages, n, seed, max_tokens: 24 });
    const { prompt_tokens, completion_tokens, prompt_tokens_details } = answer.usage!;
    // The last token of an answer is not read; its first comes with the prompt.
    const decoded = completion_tokens - n;
    const readNow = read.tokens - before - decoded;
    // In a group every member reads the last token for its own first prediction.
    expect(readNow).toBe(n - 1 + prompt_tokens - prompt_tokens_details!.cached_tokens!);
    for (const choice of answer.choices) await expectFresh(policy, choice.record);
    return { answer, readNow, cached: prompt_tokens_details!.cached_tokens! };
  };
  const first = await ask(1, 1);
  expect(first.cached).toBe(0);
  messages.push(first.answer.choices[0]!.message, { role: "user", content: "Remove it." });
  const second = await ask(1, 2);
  expect(second.cached).toBe(first.answer.usage!.total_tokens - 1);
  // Another continuation of the same beginning: a fork within sampled tokens.
  messages.splice(-1, 1, { role: "user", content: "Remember?" });
  const third = await ask(1, 3);
  expect(third.cached).toBeGreaterThan(second.cached);
  expect(third.readNow).toBeLessThan(second.readNow + 10);
  messages.push(third.answer.choices[0]!.message, { role: "user", content: "Add the cheapest." });
  const group = await ask(4, 4);
  const ids = group.answer.choices.map((choice) => learnable(choice.record).token_ids.join());
  expect(new Set(ids).size).toBeGreaterThan(1);
  await chat.dispose();
  await policy.dispose();
});

test("the same seed gives the same answer, alone and in a known conversation", async () => {
  const { policy, chat } = await open();
  const request = {
    messages: [{ role: "user" as const, content: "What is in my cart?" }],
    seed: 9,
  };
  const once = await chat.completions.create(request);
  const again = await chat.completions.create(request);
  expect(learnable(again.choices[0]?.record).token_ids).toEqual(
    learnable(once.choices[0]?.record).token_ids,
  );
  expect(again.usage?.prompt_tokens_details?.cached_tokens).toBe(again.usage!.prompt_tokens - 1);
  await policy.dispose();
});

test("required calls, a named call and a schema are enforced, and the grammar is recorded", async () => {
  const { policy, chat } = await open();
  const messages: ChatMessage[] = [{ role: "user", content: "Tell me about the weather." }];
  for (let seed = 0; seed < 4; seed++) {
    const called = await chat.completions.create({
      messages,
      tools: TOOLS,
      seed,
      temperature: 2,
      max_tokens: 60,
      tool_choice: { type: "function", function: { name: "search" } },
      parallel_tool_calls: false,
    });
    const calls = called.choices[0]?.message.tool_calls ?? [];
    expect(calls.map((call) => call.function.name)).toEqual(["search"]);
    expect(JSON.parse(calls[0]!.function.arguments)).toMatchObject({ query: expect.any(String) });
    expect(called.choices[0]?.finish_reason).toBe("tool_calls");
    expect(learnable(called.choices[0]?.record).grammar).toMatch(/^[0-9a-f]{64}$/);
    const json = await chat.completions.create({
      messages,
      seed,
      temperature: 2,
      max_tokens: 40,
      response_format: {
        type: "json_schema",
        json_schema: {
          name: "answer",
          schema: {
            type: "object",
            properties: { rain: { type: "boolean" }, days: { type: "integer" } },
            required: ["rain", "days"],
            additionalProperties: false,
          },
        },
      },
    });
    const value = JSON.parse(json.choices[0]!.message.content!) as object;
    expect(value).toEqual({ rain: expect.any(Boolean), days: expect.any(Number) });
  }
  await policy.dispose();
});
