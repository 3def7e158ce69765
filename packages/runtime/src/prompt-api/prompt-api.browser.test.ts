import { expect, test } from "vitest";
import { firstAvailable, sourceOf } from "../chat/chat-source.ts";
import { collect, openScripted, said } from "../chat/scripted-chat.fixture.ts";
import { createBrowserModel } from "./browser-model.ts";
import { CHROMIUM_DEVIATIONS, OPTIONS } from "./create-options.fixture.ts";
import { installLanguageModel } from "./install-language-model.ts";
import { createLanguageModelClass } from "./language-model.ts";
import type { LanguageModelConstructor, LanguageModelCreateOptions } from "./prompt-api-types.ts";

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

/** Ours, without a model like Chromium's here. */
const withoutModel = createLanguageModelClass({
  availability: () => Promise.resolve("unavailable"),
  open: () => Promise.reject(new Error("there is no model")),
});

test("ours has every member of Chromium's LanguageModel", () => {
  const members = (model: unknown) => [
    ...Object.keys(model as object),
    ...Object.keys((model as { prototype: object }).prototype),
  ];
  const theirs = members((globalThis as Global).LanguageModel);
  // Chromium shows the last one only with the flag of vite.config.ts.
  expect(theirs).toEqual(expect.arrayContaining(["create", "prompt", "samplingMode"]));
  expect(members(withoutModel)).toEqual(expect.arrayContaining(theirs));
});

/** @returns the name of the error, or "created". */
async function outcomeOf(model: LanguageModelConstructor, expression: string): Promise<string> {
  // oxlint-disable-next-line typescript/no-implied-eval -- evaluates only the cases of the fixture
  const options = new Function(`return (${expression})`)() as LanguageModelCreateOptions;
  return model.create(options).then(
    () => "created",
    (error: Error) => error.name,
  );
}

test("create refuses what Chromium refuses, but for the listed deviations", async ({ task }) => {
  const { LanguageModel } = globalThis as unknown as Required<Global>;
  const differing: string[] = [];
  for (const expression of OPTIONS) {
    const ours = await outcomeOf(withoutModel, expression);
    const theirs = await outcomeOf(LanguageModel, expression);
    const isListed = expression in CHROMIUM_DEVIATIONS;
    if ((ours === theirs) === isListed) differing.push(`${expression}: ${ours}, not ${theirs}`);
  }
  expect(differing).toEqual([]);
  task.meta.scenarios = OPTIONS.length - Object.keys(CHROMIUM_DEVIATIONS).length;
});

test("a prompt that does not fit throws the browser's own QuotaExceededError", async () => {
  const { chat } = openScripted([], { policyOptions: { contextLength: 40 } });
  const session = await createLanguageModelClass(sourceOf(chat)).create();
  const error: unknown = await session.prompt("x".repeat(100)).catch((each: unknown) => each);
  expect(error).toBeInstanceOf(DOMException);
  expect(error).toMatchObject({ name: "QuotaExceededError", quota: 40 });
});
