/** Signals, streams, sampling, progress and conversions, as the draft of the Prompt API has them. */
import { expect, test } from "vitest";
import { sourceOf } from "../chat/chat-source.ts";
import type { ChatSource } from "../chat/chat-source.ts";
import { openScripted, said } from "../chat/scripted-chat.fixture.ts";
import { createLanguageModelClass } from "./language-model.ts";

const open = (...args: Parameters<typeof openScripted>) => {
  const { chat, policy } = openScripted(...args);
  return { policy, LanguageModel: createLanguageModelClass(sourceOf(chat)) };
};
const named = (name: string) => expect.objectContaining({ name });

test("a stream without a reader does not block the next prompt", async () => {
  const { LanguageModel } = open([said("one"), said("two")]);
  const session = await LanguageModel.create();
  session.promptStreaming("a");
  expect(await session.prompt("b")).toBe("two");
});

test("promptStreaming throws for wrong arguments and aborted signals; prompt rejects", async () => {
  const { LanguageModel } = open([]);
  const session = await LanguageModel.create();
  const signal = AbortSignal.abort(new RangeError("reason"));
  for (const [args, name] of [
    [[], "TypeError"],
    [[Symbol("x")], "TypeError"],
    [["a", 5], "TypeError"],
    [["a", { signal: {} }], "TypeError"],
    [["a", { signal }], "RangeError"],
    [["a", { responseConstraint: null }], "TypeError"],
    [["a", { responseConstraint: [] }], "TypeError"],
    [["a", { omitResponseConstraintInput: true }], "TypeError"],
  ] as const) {
    const given = args as unknown as ["a"];
    expect(() => session.promptStreaming(...given)).toThrow(named(name));
    await expect(session.prompt(...given)).rejects.toEqual(named(name));
  }
});

test("objects that are not lists are prompts as text", async () => {
  const { LanguageModel } = open([said("ok"), said("ok")]);
  const session = await LanguageModel.create();
  expect(await session.measureContextUsage({} as never)).toBe(
    await session.measureContextUsage("[object Object]"),
  );
  const message = { role: "user", content: [{ type: "text", value: 5 }] };
  expect(await session.prompt(new Set([message]) as never)).toBe("ok");
});

test("a schema that is not JSON is not supported", async () => {
  const { LanguageModel } = open([]);
  const session = await LanguageModel.create();
  const responseConstraint: { self?: object } = {};
  responseConstraint.self = responseConstraint;
  await expect(session.prompt("a", { responseConstraint })).rejects.toEqual(
    named("NotSupportedError"),
  );
});

test("sampling modes and parameters reach the model", async () => {
  const { LanguageModel, policy } = open([said("a"), said("b"), said("c")]);
  for (const options of [{}, { samplingMode: "creative" as const }, { topK: 3, temperature: 9 }]) {
    await (await LanguageModel.create(options)).prompt("x");
  }
  const used = policy.contexts.map(({ samples }) => samples[0]?.sampling);
  expect(used).toMatchObject([
    { temperature: 1, topK: 0 },
    { temperature: 1.2, topK: 0 },
    { temperature: 2, topK: 3 },
  ]);
  const both = { samplingMode: "creative" as const, topK: 3 };
  await expect(LanguageModel.create(both)).rejects.toEqual(named("TypeError"));
  await expect(LanguageModel.availability(both)).rejects.toEqual(named("TypeError"));
});

test("the signal of create destroys the session later", async () => {
  const { LanguageModel } = open([]);
  const abort = new AbortController();
  const session = await LanguageModel.create({ signal: abort.signal });
  abort.abort(new RangeError("reason"));
  await expect(session.prompt("a")).rejects.toThrow("reason");
});

test("progress has steps of at least 1/65536, and ends with 1", async () => {
  const { chat } = openScripted([]);
  const source: ChatSource = {
    availability: () => Promise.resolve("downloadable"),
    open: ({ onProgress } = {}) => {
      for (const share of [0, 0.1, 0.05, 2, NaN]) onProgress?.(Math.min(share, 1));
      return Promise.resolve(chat);
    },
  };
  const seen: [number, number, boolean][] = [];
  await createLanguageModelClass(source).create({
    monitor: (monitor) => {
      (monitor as { ondownloadprogress?: unknown }).ondownloadprogress = (event: ProgressEvent) =>
        seen.push([event.loaded, event.total, event.lengthComputable]);
    },
  });
  expect(seen).toEqual([
    [0, 1, true],
    [1, 1, true],
  ]);
});

test("a failure has the draft's name", async () => {
  const failing = (error: unknown): ChatSource => ({
    availability: () => Promise.resolve("downloadable"),
    open: () => Promise.reject(error as Error),
  });
  const broken = createLanguageModelClass(failing(new Error("broken")));
  await expect(broken.create()).rejects.toEqual(named("OperationError"));
  const { LanguageModel } = open([]);
  await expect((await LanguageModel.create()).prompt("a")).rejects.toEqual(named("UnknownError"));
});

test("sessions cannot be constructed, and methods need a session", async () => {
  const { LanguageModel } = open([]);
  const model = LanguageModel as unknown as {
    new (): unknown;
    prototype: { prompt: () => unknown };
  };
  expect(() => new model()).toThrow(TypeError);
  await expect(model.prototype.prompt()).rejects.toBeInstanceOf(TypeError);
  expect(Object.prototype.toString.call(await LanguageModel.create())).toBe(
    "[object LanguageModel]",
  );
});
