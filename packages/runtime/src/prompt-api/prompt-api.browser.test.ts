import { expect, test } from "vitest";
import { firstAvailable, sourceOf } from "../chat/chat-source.ts";
import { collect, openScripted, said } from "../chat/scripted-chat.fixture.ts";
import { createBrowserModel } from "./browser-model.ts";
import { installLanguageModel } from "./install-language-model.ts";
import { createLanguageModelClass } from "./language-model.ts";
import type { LanguageModelConstructor } from "./prompt-api-types.ts";

type Global = { LanguageModel?: LanguageModelConstructor };

test("a browser's LanguageModel without a model is replaced by ours", async () => {
  const own = (globalThis as Global).LanguageModel;
  // Fails if the browser has no Prompt API, because the test would prove nothing then.
  expect(await own?.availability()).toBe("unavailable");
  const { chat } = openScripted([said("Ours.")]);
  const native = createBrowserModel();
  expect(await native.availability()).toBe("unavailable");
  await expect(native.open()).rejects.toMatchObject({ code: "DEVICE_UNAVAILABLE" });
  expect(await firstAvailable([native, sourceOf(chat)])).toBe(chat);

  const before = Object.getOwnPropertyDescriptor(globalThis, "LanguageModel");
  expect(await installLanguageModel(sourceOf(chat))).toBe(true);
  try {
    const { LanguageModel } = globalThis as unknown as Required<Global>;
    expect(LanguageModel).not.toBe(own);
    const session = await LanguageModel.create();
    expect(session).toBeInstanceOf(EventTarget);
    expect(await collect(session.promptStreaming("hi"))).toHaveLength(5);
    // The installed LanguageModel can be a source in turn.
    expect(await createBrowserModel().availability()).toBe("available");
  } finally {
    Object.defineProperty(globalThis, "LanguageModel", before as PropertyDescriptor);
  }
});

test("the polyfill has every member of the browser's LanguageModel that pages can use", async () => {
  const own = (globalThis as Global).LanguageModel as unknown as { prototype: object };
  // Left out: sampling parameters, deprecated names and experimental modes of the browser.
  const left = new Set(["inputUsage", "inputQuota", "onquotaoverflow", "measureInputUsage"]);
  for (const name of ["topK", "temperature", "samplingMode"]) left.add(name);
  const { chat } = openScripted([]);
  const session = await createLanguageModelClass(sourceOf(chat)).create();
  const missing = Object.getOwnPropertyNames(own.prototype)
    .filter((name) => !left.has(name))
    .filter((name) => !(name in session));
  expect(missing).toEqual([]);
});

test("a prompt that does not fit throws the browser's own QuotaExceededError", async () => {
  const { chat } = openScripted([], { policyOptions: { contextLength: 40 } });
  const session = await createLanguageModelClass(sourceOf(chat)).create();
  const error: unknown = await session.prompt("x".repeat(100)).catch((each: unknown) => each);
  expect(error).toBeInstanceOf(DOMException);
  expect(error).toMatchObject({ name: "QuotaExceededError", quota: 40 });
});
