import { expect, test } from "vitest";
import { sourceOf } from "../chat/chat-source.ts";
import {
  collect,
  byteTokenizer,
  openScripted,
  said,
  SEARCH_TOOL,
} from "../chat/scripted-chat.fixture.ts";
import { createBrowserModel } from "./browser-model.ts";
import { createLanguageModelClass } from "./language-model.ts";

/** The polyfill stands in for the browser's model. */
const open = async (...args: Parameters<typeof openScripted>) => {
  const { chat: inner, policy } = openScripted(...args);
  const languageModel = createLanguageModelClass(sourceOf(inner));
  const progress: number[] = [];
  const chat = await createBrowserModel({ languageModel }).open({
    onProgress: (loaded) => progress.push(loaded),
  });
  return { chat, policy, progress };
};
const user = (content: string) => ({ role: "user" as const, content });

test("the browser's model answers as a chat, without a learnable record", async () => {
  const { chat, progress } = await open([said("Hello."), said("Hello.")]);
  expect(progress).toEqual([0, 1]);
  expect(chat.contextLength).toBe(100_000);
  const request = { messages: [{ role: "system" as const, content: "Be brief." }, user("hi")] };
  const answer = await chat.completions.create(request);
  expect(answer.choices[0]).toMatchObject({
    finish_reason: "stop",
    message: { content: "Hello." },
    record: { learnable: false },
  });
  expect(answer.usage?.completion_tokens).toBeGreaterThan(5);
  const chunks = await collect(await chat.completions.create({ ...request, stream: true }));
  expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("|")).toBe(
    "|H|e|l|l|o|.|",
  );
});

test("a conversation continues in a copy of its session", async () => {
  const { chat, policy } = await open([said("One."), said("Two."), said("Other.")]);
  await chat.completions.create({ messages: [user("a")] });
  const messages = [user("a"), { role: "assistant" as const, content: "One." }, user("b")];
  expect((await chat.completions.create({ messages })).choices[0]?.message.content).toBe("Two.");
  expect((await chat.completions.create({ messages })).choices[0]?.message.content).toBe("Other.");
  const texts = policy.contexts.map((context) => byteTokenizer.decode(context.tokenIds));
  expect(texts.at(-1)).toMatch(/a<.*One\.<.*b<.*Other\./s);
});

test("constraints, stop texts and limits apply, and several answers are requested one by one", async () => {
  const { chat, policy } = await open([
    said("{}"),
    said("one two"),
    said("abcdef"),
    said("x"),
    said("y"),
  ]);
  await chat.completions.create({
    messages: [user("a")],
    response_format: { type: "json_object" },
  });
  expect(policy.contexts[0]?.samples[0]?.grammar).toEqual({
    kind: "json-schema",
    schema: { type: "object" },
  });
  const stopped = await chat.completions.create({ messages: [user("a")], stop: " two" });
  expect(stopped.choices[0]).toMatchObject({ finish_reason: "stop", message: { content: "one" } });
  const cut = await chat.completions.create({ messages: [user("a")], max_tokens: 1 });
  expect(cut.choices[0]?.finish_reason).toBe("length");
  const two = await chat.completions.create({ messages: [user("a")], n: 2 });
  expect(two.choices.map((choice) => choice.message.content)).toEqual(["x", "y"]);
});

test("unsupported requests are refused, and its errors are mapped to our codes", async () => {
  const { chat } = await open([said("x")], { policyOptions: { contextLength: 60 } });
  const refused = (extra: object) => chat.completions.create({ messages: [user("a")], ...extra });
  for (const extra of [{ logprobs: true }, { tools: [SEARCH_TOOL] }, { top_p: 0.5 }]) {
    await expect(refused(extra)).rejects.toMatchObject({ code: "CAPABILITY_MISSING" });
  }
  const long = { messages: [user("x".repeat(100))] };
  await expect(refused(long)).rejects.toMatchObject({ code: "CONTEXT_OVERFLOW" });
  const signal = AbortSignal.abort(new Error("enough"));
  await expect(chat.completions.create(long, { signal })).rejects.toThrow("enough");
  await chat.dispose();
  await expect(refused({})).rejects.toMatchObject({ code: "DISPOSED" });
});

test("a browser without a model is unavailable", async () => {
  const source = createBrowserModel();
  expect(await source.availability()).toBe("unavailable");
  await expect(source.open()).rejects.toMatchObject({ code: "DEVICE_UNAVAILABLE" });
});
