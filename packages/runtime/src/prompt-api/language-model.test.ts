import { describe, expect, test } from "vitest";
import { sourceOf } from "../chat/chat-source.ts";
import type { ChatSource } from "../chat/chat-source.ts";
import { byteTokenizer, CALL, collect, openScripted, said } from "../chat/scripted-chat.fixture.ts";
import { installLanguageModel } from "./install-language-model.ts";
import { createLanguageModelClass } from "./language-model.ts";

const open = (...args: Parameters<typeof openScripted>) => {
  const { chat, policy } = openScripted(...args);
  return { policy, LanguageModel: createLanguageModelClass(sourceOf(chat)) };
};
const prompts = (policy: ReturnType<typeof open>["policy"]) =>
  policy.contexts.map((context) => byteTokenizer.decode(context.tokenIds));
const named = (name: string) => expect.objectContaining({ name });

describe("a session", () => {
  test("answers, remembers, and streams pieces", async () => {
    const { LanguageModel, policy } = open([said("One."), said("Two.")]);
    const session = await LanguageModel.create({
      initialPrompts: [{ role: "system", content: "Count." }],
    });
    const initial = session.contextUsage;
    expect(initial).toBeGreaterThan(20);
    expect(await session.prompt("go")).toBe("One.");
    const pieces = await collect(session.promptStreaming("on"));
    expect(pieces).toEqual(["T", "w", "o", "."]);
    expect(policy.contexts).toHaveLength(1);
    expect(prompts(policy)[0]).toMatch(
      /Count\..*go<\|im_end\|>.*One\.<\|im_end\|>.*on.*Two\.<\|im_end\|>$/s,
    );
    expect(session.contextUsage).toBeGreaterThan(initial + 40);
    expect(session.contextWindow).toBe(100_000);
  });

  test("append waits for the next prompt, a prefix is continued, and a clone is independent", async () => {
    const { LanguageModel, policy } = open([said(" there"), said("a"), said("b")]);
    const session = await LanguageModel.create();
    await session.append("first");
    const usage = session.contextUsage;
    expect(usage).toBeGreaterThan(0);
    const measured = await session.measureContextUsage("second");
    expect(measured).toBeGreaterThan(5);
    expect(session.contextUsage).toBe(usage);
    const prefixed = [
      { role: "user" as const, content: [{ type: "text" as const, value: "second" }] },
      { role: "assistant" as const, content: "Hello", prefix: true },
    ];
    expect(await session.prompt(prefixed)).toBe(" there");
    const clone = await session.clone();
    expect(clone.contextUsage).toBe(session.contextUsage);
    expect(await session.prompt("left")).toBe("a");
    expect(await clone.prompt("right")).toBe("b");
    const texts = prompts(policy);
    expect(texts.at(-1)).toContain(
      "first\n\nsecond<|im_end|><|im_start|>assistant\nHello there<|im_end|>",
    );
    expect(texts.at(-1)).not.toContain("left");
  });

  test("prompts of one session are answered one after the other", async () => {
    const { LanguageModel, policy } = open([said("1"), said("2")]);
    const session = await LanguageModel.create();
    expect(await Promise.all([session.prompt("a"), session.prompt("b")])).toEqual(["1", "2"]);
    expect(prompts(policy).at(-1)).toMatch(/a<.*1<.*b<.*2</s);
  });

  test("tools are executed until the model answers, and it is told of their failures", async () => {
    const { LanguageModel, policy } = open([said(CALL), said(CALL), said("Found.")]);
    const asked: unknown[] = [];
    const session = await LanguageModel.create({
      tools: [
        {
          name: "search",
          description: "Finds.",
          inputSchema: { type: "object" },
          execute: (input) => {
            if (asked.push(input) === 1) return Promise.reject(new Error("closed"));
            return Promise.resolve("a lamp");
          },
        },
      ],
    });
    expect(await session.prompt("find é")).toBe("Found.");
    expect(asked).toEqual([{ query: "é" }, { query: "é" }]);
    expect(prompts(policy)[0]).toMatch(/"error":"closed".*a lamp.*Found\./s);
  });

  test("constraints are a schema or a regular expression", async () => {
    const { LanguageModel, policy } = open([said("{}"), said("ab")]);
    const session = await LanguageModel.create();
    await session.prompt("x", { responseConstraint: { type: "object" } });
    await session.prompt("x", { responseConstraint: /^(a|b)+$/u });
    const grammars = policy.contexts[0]?.samples.map((sample) => sample.grammar);
    expect(grammars).toEqual([
      { kind: "json-schema", schema: { type: "object" } },
      { kind: "regex", pattern: "(a|b)+" },
    ]);
    await expect(session.prompt("x", { responseConstraint: /a/i })).rejects.toEqual(
      named("NotSupportedError"),
    );
  });
});

describe("the window", () => {
  const policyOptions = { contextLength: 130 };

  test("on overflow loses the oldest turns, not the initial ones, and fires an event", async () => {
    const { LanguageModel, policy } = open([said("one"), said("two"), said("three")], {
      policyOptions,
    });
    const session = await LanguageModel.create({
      initialPrompts: [{ role: "system", content: "System." }],
    });
    const events: string[] = [];
    session.oncontextoverflow = (event) => events.push(event.type);
    await session.prompt("first question");
    await session.prompt("second question");
    expect(events).toEqual([]);
    await session.prompt("third question");
    expect(events).toEqual(["contextoverflow"]);
    expect(prompts(policy).at(-1)).toMatch(/System\..*second.*two.*third.*three/s);
    expect(prompts(policy).at(-1)).not.toContain("first");
    expect(session.contextUsage).toBeLessThan(session.contextWindow);
  });

  test("refuses messages that cannot fit, and keeps the conversation", async () => {
    const { LanguageModel } = open([said("ok")], { policyOptions });
    const session = await LanguageModel.create();
    await expect(session.prompt("x".repeat(300))).rejects.toMatchObject({
      name: "QuotaExceededError",
      quota: 130,
      requested: expect.any(Number),
    });
    expect(await session.prompt("x")).toBe("ok");
    const initialPrompts = [{ role: "user" as const, content: "x".repeat(300) }];
    await expect(LanguageModel.create({ initialPrompts })).rejects.toEqual(
      named("QuotaExceededError"),
    );
  });
});

describe("refusals required by the draft", () => {
  test.each([
    [[{ role: "user", content: "x", prefix: true }], "SyntaxError"],
    [
      [
        { role: "assistant", content: "x", prefix: true },
        { role: "user", content: "y" },
      ],
      "SyntaxError",
    ],
    [
      [
        { role: "user", content: "x" },
        { role: "system", content: "y" },
      ],
      "TypeError",
    ],
    [[{ role: "user", content: [{ type: "image", value: null }] }], "NotSupportedError"],
    [[{ role: "user", content: [{ type: "text", value: new Blob() }] }], "TypeError"],
    [[{ role: "tool", content: "x" }], "TypeError"],
  ])("%j", async (input, name) => {
    const { LanguageModel } = open([]);
    const session = await LanguageModel.create();
    await expect(session.prompt(input as never)).rejects.toEqual(named(name));
    await expect(LanguageModel.create({ initialPrompts: input as never })).rejects.toEqual(
      named(name),
    );
  });

  test("a late system message, images, wrong languages and half tools", async () => {
    const { LanguageModel } = open([said("x")]);
    const session = await LanguageModel.create();
    await session.prompt("hi");
    await expect(session.append([{ role: "system", content: "x" }])).rejects.toEqual(
      named("TypeError"),
    );
    const images = { expectedInputs: [{ type: "image" as const }] };
    expect(await LanguageModel.availability(images)).toBe("unavailable");
    await expect(LanguageModel.create(images)).rejects.toEqual(named("NotSupportedError"));
    const languages = { expectedInputs: [{ type: "text" as const, languages: ["no language"] }] };
    await expect(LanguageModel.availability(languages)).rejects.toEqual(named("RangeError"));
    const half = { tools: [{ name: "x", description: "", inputSchema: {} }] as never };
    await expect(LanguageModel.create(half)).rejects.toEqual(named("TypeError"));
    const options = { omitResponseConstraintInput: true };
    await expect(session.measureContextUsage("x", options)).rejects.toEqual(named("TypeError"));
  });
});

describe("aborting", () => {
  test("an aborted prompt leaves no trace", async () => {
    const abort = new AbortController();
    const { LanguageModel, policy } = open([said("never"), said("fine")], {
      policyOptions: { beforeToken: (index) => (index === 2 ? abort.abort() : undefined) },
    });
    const session = await LanguageModel.create();
    await expect(session.prompt("lost", { signal: abort.signal })).rejects.toEqual(
      named("AbortError"),
    );
    expect(session.contextUsage).toBe(0);
    expect(await session.prompt("kept")).toBe("fine");
    expect(prompts(policy).at(-1)).not.toContain("lost");
  });

  test("destroy ends current and later prompts, but not clones", async () => {
    const { LanguageModel } = open([said("abc"), said("clone")], {
      policyOptions: { beforeToken: (index) => (index === 1 ? session.destroy() : undefined) },
    });
    const session = await LanguageModel.create();
    const clone = await session.clone();
    await expect(session.prompt("x")).rejects.toEqual(named("AbortError"));
    await expect(session.prompt("x")).rejects.toEqual(named("AbortError"));
    await expect(session.append("x")).rejects.toEqual(named("AbortError"));
    await expect(session.clone()).rejects.toEqual(named("AbortError"));
    expect(await clone.prompt("x")).toBe("clone");
  });
});

test("create loads once, and its monitor gets the first and last progress event", async () => {
  const { chat } = openScripted([said("a")]);
  let opened = 0;
  const source: ChatSource = {
    availability: () => Promise.resolve("downloadable"),
    open: ({ onProgress } = {}) => {
      opened++;
      onProgress?.(0.5);
      return Promise.resolve(chat);
    },
  };
  const LanguageModel = createLanguageModelClass(source);
  expect(await LanguageModel.availability()).toBe("downloadable");
  const seen: number[] = [];
  await LanguageModel.create({
    monitor: (target) =>
      target.addEventListener("downloadprogress", (event) =>
        seen.push((event as Event & { loaded: number }).loaded),
      ),
  });
  // The draft has at most one event in 50 ms, apart from the last.
  expect(seen).toEqual([0, 1]);
  expect(await LanguageModel.availability()).toBe("available");
  await LanguageModel.create();
  expect(opened).toBe(1);
  const signal = AbortSignal.abort();
  await expect(LanguageModel.create({ signal })).rejects.toEqual(named("AbortError"));
});

test("it is installed if the browser has no LanguageModel, or one without a model", async () => {
  const { chat } = openScripted([]);
  const source = sourceOf(chat);
  const empty: { LanguageModel?: unknown } = {};
  expect(await installLanguageModel(source, { target: empty })).toBe(true);
  expect(empty.LanguageModel).toBeTypeOf("function");
  const having = (availability: string) => ({
    LanguageModel: { availability: () => Promise.resolve(availability) },
  });
  expect(await installLanguageModel(source, { target: having("available") })).toBe(false);
  expect(await installLanguageModel(source, { target: having("unavailable") })).toBe(true);
  expect(
    await installLanguageModel(source, { target: having("unavailable"), when: "absent" }),
  ).toBe(false);
  expect(await installLanguageModel(source, { target: having("available"), when: "always" })).toBe(
    true,
  );
});
