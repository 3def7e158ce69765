import { APICallError } from "@ai-sdk/provider";
import { WaggleError } from "@waggle/protocol";
import { generateText, jsonSchema, Output, stepCountIs, streamText, tool } from "ai";
import { expect, test } from "vitest";
import { sourceOf } from "../chat/chat-source.ts";
import type { ChatSource } from "../chat/chat-source.ts";
import { CALL, collect, openScripted, said } from "../chat/scripted-chat.fixture.ts";
import { createLanguageModel } from "./language-model.ts";

const open = (...args: Parameters<typeof openScripted>) => {
  const { chat, policy } = openScripted(...args);
  return { policy, model: createLanguageModel({ source: sourceOf(chat), modelId: "nano" }) };
};

const search = tool({
  description: "Finds products.",
  inputSchema: jsonSchema<{ query: string }>({
    type: "object",
    properties: { query: { type: "string" } },
    required: ["query"],
  }),
  execute: ({ query }) => Promise.resolve({ found: query }),
});

test("generateText returns text, usage and the record", async () => {
  const { model, policy } = open([said("Hello.")]);
  const result = await generateText({ model, system: "Be brief.", prompt: "hi", seed: 3, topK: 4 });
  expect(result.text).toBe("Hello.");
  expect(result.finishReason).toBe("stop");
  expect(result.usage).toMatchObject({ outputTokens: 7, inputTokens: expect.any(Number) });
  const waggle = result.providerMetadata?.["waggle"];
  expect(waggle).toMatchObject({
    learnable: true,
    tokenIds: said("Hello."),
    sampling: { topK: 4, seed: 3 },
    policy: { version: 0, baseModel: "0".repeat(64) },
    timings: { predicted_n: 7 },
  });
  expect(waggle?.["logprobs"]).toHaveLength(7);
  expect(policy.contexts[0]?.samples[0]?.sampling.topK).toBe(4);
});

test("tools run over several steps of one conversation, whose tokens are read once", async () => {
  const { model, policy } = open([said(`Looking. ${CALL}`), said("Found é.")]);
  const result = await generateText({
    model,
    prompt: "find é",
    tools: { search },
    stopWhen: stepCountIs(3),
  });
  expect(result.steps).toHaveLength(2);
  expect(result.steps[0]?.toolCalls).toMatchObject([{ toolName: "search", input: { query: "é" } }]);
  expect(result.text).toBe("Found é.");
  // The second step continued the same session, with the call as it was sampled.
  expect(policy.contexts).toHaveLength(1);
  expect(result.steps[1]?.usage.inputTokenDetails?.cacheReadTokens).toBeGreaterThan(40);
});

test("streamText yields every part in order", async () => {
  const { model } = open([said(`Let me see. ${CALL}`)]);
  const { stream } = await model.doStream({
    prompt: [{ role: "user", content: [{ type: "text", text: "find é" }] }],
    tools: [{ type: "function", name: "search", inputSchema: { type: "object" } }],
  });
  const parts = await collect(stream);
  const types = parts.map((part) => part.type);
  expect(types.filter((type, at) => type !== types[at - 1])).toEqual([
    "stream-start",
    "response-metadata",
    "text-start",
    "text-delta",
    "text-end",
    "tool-input-start",
    "tool-input-delta",
    "tool-input-end",
    "tool-call",
    "finish",
  ]);
  expect(parts.at(-2)).toMatchObject({ toolName: "search", input: '{"query":"é"}' });
  expect(parts.at(-1)).toMatchObject({
    finishReason: { unified: "tool-calls", raw: "tool_calls" },
    usage: { outputTokens: { total: said(`Let me see. ${CALL}`).length } },
    providerMetadata: { waggle: { learnable: true } },
  });
  const text = streamText({ model: open([said("one two")]).model, prompt: "x" });
  expect(await collect(text.textStream)).toHaveLength(7);
  expect(await text.finishReason).toBe("stop");
});

test("thoughts become reasoning parts, with and without streaming", async () => {
  const { model } = open([said("<think>Hm.</think>Yes."), said("<think>Hm.</think>Yes.")]);
  const result = await generateText({ model, prompt: "x" });
  expect(result.text).toBe("Yes.");
  expect(result.reasoningText).toContain("Hm.");
  const streamed = streamText({ model, prompt: "x" });
  expect(await streamed.text).toBe("Yes.");
  expect(await streamed.reasoningText).toBe(result.reasoningText);
});

test("a schema is enforced, also with tools, and unsupported settings are named", async () => {
  const schema = jsonSchema<{ a: number }>({
    type: "object",
    properties: { a: { type: "number" } },
  });
  const { model, policy } = open([said('{"a":1}'), said("x")]);
  const result = await generateText({ model, prompt: "x", output: Output.object({ schema }) });
  expect(result.output).toEqual({ a: 1 });
  expect(policy.contexts[0]?.samples[0]?.grammar).toMatchObject({ kind: "json-schema" });
  const answer = await model.doGenerate({
    prompt: [{ role: "user", content: [{ type: "text", text: "x" }] }],
    responseFormat: { type: "json" },
    tools: [
      { type: "function", name: "search", inputSchema: { type: "object" } },
      { type: "provider", id: "x.y", name: "y", args: {} },
    ],
    presencePenalty: 1,
    frequencyPenalty: 1,
    reasoning: "high",
  });
  expect(answer.warnings.map((warning) => "feature" in warning && warning.feature)).toEqual([
    "presencePenalty",
    "frequencyPenalty",
    "reasoning",
    "provider-defined tool x.y",
  ]);
  expect(policy.contexts[1]?.samples[0]?.grammar).toMatchObject({
    kind: "tool-calls",
    answer: { type: "object" },
  });
});

test("an abort ends a stream with its reason, an error arrives as a part", async () => {
  const abort = new AbortController();
  const { model } = open([said("long answer")], {
    policyOptions: {
      beforeToken: (index) => (index === 4 ? abort.abort(new Error("enough")) : undefined),
    },
  });
  const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "x" }] }];
  const { stream } = await model.doStream({ prompt, abortSignal: abort.signal });
  const all = collect(stream);
  await expect(all).rejects.toThrow("enough");
  const failing = await model.doStream({ prompt });
  const parts = await collect(failing.stream);
  expect(parts.at(-1)).toMatchObject({ type: "error", error: { code: "INVALID_ARGUMENT" } });
});

test("the SDK retries an error that may pass, and sees others as its own", async () => {
  const { chat } = openScripted([said("Hello.")]);
  let failures = 1;
  const busy = new WaggleError("RATE_LIMITED", "busy", { retryable: true, retryAfterMs: 5 });
  const create = chat.completions.create.bind(chat.completions) as typeof chat.completions.create;
  const completions = {
    create: ((...args: Parameters<typeof create>) =>
      failures-- > 0 ? Promise.reject(busy) : create(...args)) as typeof create,
  };
  const model = createLanguageModel({ source: sourceOf({ ...chat, completions }) });
  expect((await generateText({ model, prompt: "x" })).text).toBe("Hello.");
  let loads = 0;
  const loading = createLanguageModel({
    source: {
      availability: () => Promise.resolve("downloadable"),
      open: () =>
        loads++ === 0 ? Promise.reject(busy) : Promise.resolve(openScripted([said("Hi.")]).chat),
    },
  });
  expect((await generateText({ model: loading, prompt: "x" })).text).toBe("Hi.");
  const error: unknown = await generateText({ model, prompt: "x", temperature: 50 }).catch(
    (reason: unknown) => reason,
  );
  expect(APICallError.isInstance(error)).toBe(true);
  expect(error).toMatchObject({
    code: "INVALID_ARGUMENT",
    statusCode: 400,
    isRetryable: false,
    requestBodyValues: { temperature: 50 },
  });
});

test("a model that is not loaded says so, loads once with progress, and can be retried", async () => {
  const { chat } = openScripted([said("a"), said("b")]);
  let opened = 0;
  const source: ChatSource = {
    availability: () => Promise.resolve("downloadable"),
    open: async ({ onProgress } = {}) => {
      if (opened++ === 0) throw new Error("offline");
      onProgress?.(0.5);
      await Promise.resolve();
      onProgress?.(1);
      return chat;
    },
  };
  const model = createLanguageModel({ source });
  expect(await model.availability()).toBe("downloadable");
  await expect(model.createSessionWithProgress()).rejects.toThrow("offline");
  const progress: number[] = [];
  const loading = model.createSessionWithProgress((loaded) => progress.push(loaded));
  expect(await model.availability()).toBe("downloading");
  expect(await loading).toBe(model);
  expect(await model.availability()).toBe("available");
  expect(progress).toEqual([0.5, 1]);
  expect((await generateText({ model, prompt: "x" })).text).toBe("a");
  expect(opened).toBe(2);
});
