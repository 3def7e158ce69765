import type { ScriptedPolicy } from "@waggle/testing";
import { describe, expect, test } from "vitest";
import type { ChatRecord, ChatRequest } from "./chat-types.ts";
import { foldChunks } from "./define-chat.ts";
import {
  byteTokenizer,
  CALL,
  collect,
  openScripted,
  said,
  SEARCH_TOOL,
} from "./scripted-chat.fixture.ts";

const user = (content: string) => ({ role: "user" as const, content });
const learnable = (record: ChatRecord | undefined) => {
  if (record?.learnable !== true) throw new Error("the record is not learnable");
  return record;
};
const prompts = (policy: ScriptedPolicy) =>
  policy.contexts.map((context) => byteTokenizer.decode(context.tokenIds));

describe("one answer", () => {
  test("has OpenAI's shape, with usage, a fingerprint, timings and a record for learning", async () => {
    let time = 0;
    const { chat, policy } = openScripted([said("Hello, wörld")], { now: () => (time += 10) });
    const answer = await chat.completions.create({
      messages: [{ role: "system", content: "Be brief." }, user("hi")],
      seed: 7,
      logprobs: true,
    });
    const prompt =
      "<|im_start|>system\nBe brief.<|im_end|><|im_start|>user\nhi<|im_end|><|im_start|>assistant\n";
    expect(prompts(policy)).toEqual([`${prompt}Hello, wörld<|im_end|>`]);
    expect(answer).toMatchObject({
      object: "chat.completion",
      model: "scripted",
      system_fingerprint: `${"0".repeat(12)}@0`,
      choices: [
        {
          index: 0,
          finish_reason: "stop",
          message: { role: "assistant", content: "Hello, wörld", refusal: null },
        },
      ],
    });
    const promptTokens = byteTokenizer.encodeTemplate(prompt).length;
    expect(answer.usage).toEqual({
      prompt_tokens: promptTokens,
      completion_tokens: 14,
      total_tokens: promptTokens + 14,
      prompt_tokens_details: { cached_tokens: 0 },
    });
    // The clock returns 10 at the start and 10 more at each of 14 tokens.
    expect(answer.timings).toEqual({
      cache_n: 0,
      prompt_n: promptTokens,
      prompt_ms: 10,
      prompt_per_second: promptTokens * 100,
      predicted_n: 14,
      predicted_ms: 130,
      predicted_per_second: 100,
    });
    const record = learnable(answer.choices[0]?.record);
    expect(record.token_ids).toEqual(said("Hello, wörld"));
    expect(record.prompt_token_ids).toEqual(byteTokenizer.encodeTemplate(prompt));
    expect(record).toMatchObject({ stop_reason: "stop-token", grammar: null, policy_version: 0 });
    expect(record.sampling).toEqual({ temperature: 1, top_k: 0, top_p: 1, seed: 7 });
    const scores = await policy.score({
      tokenIds: [...record.prompt_token_ids, ...record.token_ids],
      sampling: { temperature: 1, topK: 0, topP: 1 },
    });
    expect(record.raw_logprobs).toEqual(scores.rawLogProbs.slice(promptTokens));
    const content = answer.choices[0]?.logprobs?.content;
    expect(content).toHaveLength(13); // the stop token is not content
    expect(content?.[0]).toMatchObject({
      token: "H",
      bytes: [72],
      logprob: record.raw_logprobs[0],
    });
    expect(content?.[8]).toMatchObject({ token: "\uFFFD", bytes: null }); // half of ö
  });

  test("streams chunks that fold into the same answer, with usage on the last one", async () => {
    const request = { messages: [user("hi")], seed: 1, tools: [SEARCH_TOOL], logprobs: true };
    const whole = await openScripted([said(`Let me see. ${CALL}`)]).chat.completions.create(
      request,
    );
    const { chat } = openScripted([said(`Let me see. ${CALL}`)]);
    const chunks = await collect(
      await chat.completions.create({
        ...request,
        stream: true,
        stream_options: { include_usage: true },
      }),
    );
    expect(chunks[0]?.choices[0]?.delta).toEqual({ role: "assistant", content: "" });
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: whole.usage });
    expect(chunks.filter((chunk) => chunk.usage)).toHaveLength(1);
    const texts = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "");
    expect(texts.filter((text) => text !== "").length).toBeGreaterThan(5);
    const folded = await foldChunks(
      (async function* () {
        yield* chunks;
      })(),
    );
    const callId = folded.choices[0]?.message.tool_calls?.[0]?.id;
    expect(callId).toMatch(/^call_[0-9a-f]{24}$/);
    expect(folded.choices[0]?.message).toMatchObject({
      content: "Let me see. ",
      tool_calls: [{ type: "function", function: { name: "search", arguments: '{"query":"é"}' } }],
    });
    expect(folded.choices[0]?.finish_reason).toBe("tool_calls");
    expect(folded.choices[0]?.record).toEqual(whole.choices[0]?.record);
    expect(folded.choices[0]?.logprobs).toEqual(whole.choices[0]?.logprobs);
    // Without include_usage every chunk has a choice.
    const plain = await collect(
      await openScripted([said("x")]).chat.completions.create({ ...request, stream: true }),
    );
    expect(plain.every((chunk) => chunk.choices.length === 1)).toBe(true);
    expect(plain.at(-1)?.timings?.predicted_n).toBe(2);
  });

  test("thoughts are separate from the answer, and calls are streamed", async () => {
    const spoken = `<think>\nHm.\n</think>\nSee: ${CALL}`;
    const { chat } = openScripted([said(spoken), said(spoken)]);
    const request = { messages: [user("hi")], tools: [SEARCH_TOOL] };
    const chunks = await collect(await chat.completions.create({ ...request, stream: true }));
    const calls = chunks.flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? []);
    expect(calls[0]).toMatchObject({ index: 0, function: { name: "search", arguments: "" } });
    expect(calls.length).toBeGreaterThan(8);
    const { message } = (await chat.completions.create(request)).choices[0]!;
    expect(message.content?.trim()).toBe("See:");
    expect(message.reasoning_content).toContain("Hm.");
    expect(message.tool_calls?.[0]?.function.arguments).toBe('{"query":"é"}');
  });

  test("ends before a stop text that arrives in pieces, and keeps only the tokens before it", async () => {
    const { chat, policy } = openScripted([said("one, two, three"), said("!")]);
    const request = { messages: [user("count")], stop: ["two", "three"] };
    const answer = await chat.completions.create(request);
    expect(answer.choices[0]).toMatchObject({
      finish_reason: "stop",
      message: { content: "one, " },
    });
    const record = learnable(answer.choices[0]?.record);
    expect(byteTokenizer.decode(record.token_ids)).toBe("one, two");
    expect(record.stop_reason).toBe("stop-text");
    expect(answer.usage?.completion_tokens).toBe(8);
    // The conversation continues after exactly these tokens.
    await chat.completions.create({
      messages: [...request.messages, { role: "assistant", content: "one, " }, user("on")],
    });
    expect(prompts(policy).at(-1)).toContain("one, two<|im_end|><|im_start|>user\non<|im_end|>");
  });

  test("has finish_reason length at max_tokens and at the end of the context", async () => {
    const short = openScripted([said("abcdef")]);
    const cut = await short.chat.completions.create({ messages: [user("x")], max_tokens: 3 });
    expect(cut.choices[0]).toMatchObject({ finish_reason: "length", message: { content: "abc" } });
    const { chat } = openScripted([said("abcdef")], { policyOptions: { contextLength: 22 } });
    const full = await chat.completions.create({ messages: [user("x")] });
    expect(full.choices[0]?.finish_reason).toBe("length");
    await expect(
      chat.completions.create({ messages: [user("a message that is too long for it")] }),
    ).rejects.toMatchObject({ code: "CONTEXT_OVERFLOW" });
  });

  test("is greedy at temperature 0, and passes sampling and grammar to the policy", async () => {
    const { chat, policy } = openScripted([said("{}"), said("{}"), said("{}"), said("x")]);
    await chat.completions.create({
      messages: [user("a")],
      temperature: 0,
      seed: 3,
      response_format: { type: "json_object" },
    });
    await chat.completions.create({
      messages: [user("b")],
      temperature: 0.5,
      top_p: 0.9,
      top_k: 5,
      seed: 4,
      response_format: {
        type: "json_schema",
        json_schema: { name: "s", schema: { type: "object" } },
      },
    });
    await chat.completions.create({
      messages: [user("c")],
      tools: [SEARCH_TOOL],
      parallel_tool_calls: false,
    });
    await chat.completions.create({
      messages: [user("d")],
      tools: [SEARCH_TOOL],
      tool_choice: "none",
    });
    const [a, b, c, d] = policy.contexts.map((context) => context.samples[0]);
    expect(a?.sampling).toEqual({ temperature: 1, topK: 1, topP: 1, seed: 3 });
    expect(a?.grammar).toEqual({ kind: "json-schema", schema: { type: "object" } });
    expect(b?.sampling).toEqual({ temperature: 0.5, topK: 5, topP: 0.9, seed: 4 });
    expect(b?.grammar).toEqual({ kind: "json-schema", schema: { type: "object" } });
    expect(c?.grammar).toMatchObject({
      kind: "tool-calls",
      choice: "auto",
      parallel: false,
      tools: [{ name: "search" }],
    });
    expect(d?.grammar).toBeUndefined();
  });
});

describe("several answers", () => {
  test("share the messages, which are read once, and differ in their seeds", async () => {
    const { chat, policy } = openScripted([said("a"), said("bb"), said("ccc")]);
    const answer = await chat.completions.create({ messages: [user("hi")], n: 3, seed: 5 });
    expect(answer.choices.map((choice) => choice.message.content)).toEqual(["a", "bb", "ccc"]);
    const seeds = answer.choices.map((choice) => learnable(choice.record).sampling.seed);
    expect(seeds).toEqual([5, 6, 7]);
    expect(policy.readTokens).toBe(answer.usage?.prompt_tokens);
    expect(answer.usage?.completion_tokens).toBe(2 + 3 + 4);
  });

  test("if one fails, the others end too and no session is left", async () => {
    const { chat, policy } = openScripted([said("a")]);
    await expect(chat.completions.create({ messages: [user("hi")], n: 2 })).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
    });
    await chat.dispose();
    expect(policy.contexts.every((context) => context.disposed)).toBe(true);
  });
});

describe("turns", () => {
  test("a conversation is read once, with its answers as sampled", async () => {
    const { chat, policy } = openScripted([said(CALL), said("One lamp."), said("Bye.")]);
    const messages: ChatRequest["messages"] = [user("lamps?")];
    const read: number[] = [];
    const next = async (add: ChatRequest["messages"]) => {
      messages.push(...add);
      const before = policy.readTokens;
      const answer = await chat.completions.create({ messages, tools: [SEARCH_TOOL] });
      read.push(policy.readTokens - before);
      const { usage } = answer;
      expect(usage!.prompt_tokens - usage!.prompt_tokens_details!.cached_tokens!).toBe(read.at(-1));
      messages.push(answer.choices[0]!.message);
      return answer;
    };
    const first = await next([]);
    const call = first.choices[0]?.message.tool_calls?.[0];
    await next([{ role: "tool", tool_call_id: call!.id, content: '{"hits": 1}' }]);
    await next([user("thanks")]);
    expect(policy.contexts).toHaveLength(1);
    // Only the stop token and the new message are read.
    const added = [
      '<|im_end|><|im_start|>tool\n<tool_response>{"hits":1}</tool_response><|im_end|><|im_start|>assistant\n',
      "<|im_end|><|im_start|>user\nthanks<|im_end|><|im_start|>assistant\n",
    ];
    expect(read.slice(1)).toEqual(added.map((text) => byteTokenizer.encodeTemplate(text).length));
  });

  test("a rewritten history branches where it differs", async () => {
    const { chat, policy } = openScripted([said("one"), said("two"), said("three")]);
    const head = { role: "system" as const, content: "Same beginning." };
    await chat.completions.create({ messages: [head, user("first")] });
    const branched = await chat.completions.create({ messages: [head, user("fish")] });
    const shared = byteTokenizer.encodeTemplate(
      "<|im_start|>system\nSame beginning.<|im_end|><|im_start|>user\nfi",
    ).length;
    expect(branched.usage?.prompt_tokens_details?.cached_tokens).toBe(shared);
    expect(policy.contexts).toHaveLength(2);
    // The first conversation is still available and continues.
    const again = await chat.completions.create({
      messages: [head, user("first"), { role: "assistant", content: "one" }, user("more")],
    });
    expect(again.usage?.prompt_tokens_details?.cached_tokens).toBeGreaterThan(shared + 10);
    expect(policy.contexts).toHaveLength(2);
  });

  test("a repeated request reads one token, and a busy conversation is forked", async () => {
    const { chat, policy } = openScripted([said("a"), said("b"), said("c")]);
    const request = { messages: [user("hello")] };
    await chat.completions.create(request);
    const before = policy.readTokens;
    await Promise.all([chat.completions.create(request), chat.completions.create(request)]);
    expect(policy.readTokens - before).toBe(2);
  });

  test("sessions of an older version are not reused", async () => {
    const { chat, policy } = openScripted([said("a"), said("b")]);
    const request = { messages: [user("hello")] };
    await chat.completions.create(request);
    await policy.setAdapter(3, null);
    const answer = await chat.completions.create(request);
    expect(learnable(answer.choices[0]?.record).policy_version).toBe(3);
    expect(answer.usage?.prompt_tokens_details?.cached_tokens).toBe(0);
    expect(policy.contexts[0]?.disposed).toBe(true);
  });

  test("only the latest maxSessions conversations are kept", async () => {
    const { chat, policy } = openScripted([said("a"), said("b"), said("c")], { maxSessions: 2 });
    for (const text of ["xx", "yy", "zz"])
      await chat.completions.create({ messages: [user(text)] });
    expect(policy.contexts.map((context) => context.disposed)).toEqual([true, false, false]);
  });

  test("an answer with a prefix is continued", async () => {
    const { chat, policy } = openScripted([said("world")]);
    const messages = [user("hi"), { role: "assistant" as const, content: "Hello, ", prefix: true }];
    const answer = await chat.completions.create({ messages });
    expect(answer.choices[0]?.message.content).toBe("world");
    expect(prompts(policy)[0]).toMatch(/assistant\nHello, world<\|im_end\|>$/);
  });
});

describe("giving up", () => {
  test("an abort rejects with its reason, and the conversation can continue", async () => {
    const abort = new AbortController();
    const { chat, policy } = openScripted([said("never ending"), said("ok")], {
      policyOptions: {
        beforeToken: (index) => (index === 3 ? abort.abort(new Error("enough")) : undefined),
      },
    });
    const request = { messages: [user("hi")] };
    await expect(chat.completions.create(request, { signal: abort.signal })).rejects.toThrow(
      "enough",
    );
    expect((await chat.completions.create(request)).choices[0]?.message.content).toBe("ok");
    expect(policy.contexts[0]?.disposed).toBe(false);
  });

  test("leaving a stream ends the generation", async () => {
    let tokens = 0;
    const { chat } = openScripted([said("x".repeat(1000))], {
      policyOptions: {
        beforeToken: async (index) => {
          tokens = index;
          await new Promise((resolve) => setImmediate(resolve));
        },
      },
    });
    const stream = await chat.completions.create({ messages: [user("hi")], stream: true });
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
    const after = tokens;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(tokens).toBe(after);
    expect(tokens).toBeLessThan(900);
  });

  test("a disposed chat refuses requests and ends those in progress", async () => {
    const { chat } = openScripted([said("abc")], {
      policyOptions: { beforeToken: () => chat.dispose() },
    });
    await expect(chat.completions.create({ messages: [user("hi")] })).rejects.toMatchObject({
      code: "DISPOSED",
    });
    await expect(chat.completions.create({ messages: [user("hi")] })).rejects.toMatchObject({
      code: "DISPOSED",
    });
  });
});
