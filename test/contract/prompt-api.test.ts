/** The page about the Prompt API has a row for each member of the draft, and each deviation is shown by a call. */
import { createLanguageModelClass } from "@waggle/runtime/prompt-api";
import { sourceOf } from "@waggle/runtime/chat";
import { createScriptedChat } from "@waggle/runtime/testing";
import { expect, test } from "vitest";
import {
  documentedMembers,
  draftDeviations,
  draftMembers,
  draftOrder,
  interfaceDifferences,
  readMembers,
} from "../fixtures/prompt-api-draft.ts";

const LanguageModel = createLanguageModelClass(sourceOf(createScriptedChat([])));
const session = await LanguageModel.create();
const named = (name: string) => expect.objectContaining({ name });

const ofType = async (kind: "expectedInputs" | "expectedOutputs", type: string, is: string) => {
  const options = { [kind]: [{ type }] } as never;
  expect(await LanguageModel.availability(options)).toBe(is);
  const content = [{ type, value: "x" }];
  const asked = session.prompt([{ role: "user", content }] as never);
  await expect(asked).rejects.toEqual(named("NotSupportedError"));
};
const param = async (name: string, is: number) =>
  expect(await LanguageModel.params()).toMatchObject({ [name]: is });

/** Shows the deviation of a row. */
const SHOWN: { readonly [member: string]: () => unknown } = {
  "LanguageModel.create": () => expect(session).toBeInstanceOf(EventTarget),
  "LanguageModel.availability": async () =>
    expect(await LanguageModel.availability()).toBe("available"),
  "LanguageModel.params": () => param("maxTopK", 1_000_000),
  "LanguageModel.measureInputUsage": async () =>
    expect(await session.measureInputUsage("a")).toBe(await session.measureContextUsage("a")),
  "LanguageModel.inputUsage": () => expect(session.inputUsage).toBe(session.contextUsage),
  "LanguageModel.inputQuota": () => expect(session.inputQuota).toBe(session.contextWindow),
  "LanguageModel.onquotaoverflow": () => expect(session.onquotaoverflow).toBeNull(),
  "LanguageModel.topK": () => expect(session.topK).toBe(1_000_000),
  "LanguageModel.temperature": () => expect(session.temperature).toBe(1),
  "LanguageModelParams.defaultTopK": () => param("defaultTopK", 1_000_000),
  "LanguageModelParams.maxTopK": () => param("maxTopK", 1_000_000),
  "LanguageModelParams.defaultTemperature": () => param("defaultTemperature", 1),
  "LanguageModelParams.maxTemperature": () => param("maxTemperature", 2),
  "LanguageModelCreateCoreOptions.topK": async () => {
    expect(await LanguageModel.create({ topK: 3.5 })).toMatchObject({
      topK: 3,
      samplingMode: null,
    });
    await expect(LanguageModel.create({ topK: NaN })).rejects.toEqual(named("RangeError"));
  },
  "LanguageModelCreateCoreOptions.temperature": async () => {
    expect(await LanguageModel.create({ temperature: Infinity })).toMatchObject({ temperature: 2 });
    await expect(LanguageModel.create({ temperature: -1 })).rejects.toEqual(named("RangeError"));
  },
  "LanguageModelPromptOptions.responseConstraint": () =>
    expect(session.prompt("a", { responseConstraint: /a/i })).rejects.toEqual(
      named("NotSupportedError"),
    ),
  "LanguageModelPromptOptions.omitResponseConstraintInput": async () => {
    const options = { responseConstraint: {}, omitResponseConstraintInput: true };
    expect(await session.measureContextUsage("a", options)).toBe(
      await session.measureContextUsage("a"),
    );
  },
  "LanguageModelExpected.languages": async () =>
    expect(
      await LanguageModel.availability({ expectedInputs: [{ type: "text", languages: ["tlh"] }] }),
    ).toBe("available"),
  'LanguageModelMessageType "image"': () => ofType("expectedInputs", "image", "unavailable"),
  'LanguageModelMessageType "audio"': () => ofType("expectedInputs", "audio", "unavailable"),
  'LanguageModelMessageType "tool-call"': () => ofType("expectedOutputs", "tool-call", "available"),
  'LanguageModelMessageType "tool-response"': () =>
    ofType("expectedInputs", "tool-response", "available"),
};

test("the page has a row for each member of the draft, and no other", () => {
  expect([...documentedMembers().keys()]).toEqual(draftMembers());
});

test("a row says that it differs exactly if a call shows it", () => {
  const differing = draftDeviations().map((each) => each.case);
  expect(new Set(differing)).toEqual(new Set(Object.keys(SHOWN)));
});

test.each(Object.entries(SHOWN))("%s differs as the page says", async (_, show) => {
  expect.hasAssertions();
  await show();
});

test("the class has the draft's interface, and reads options once and in Web IDL's order", async () => {
  expect(interfaceDifferences(LanguageModel as never)).toEqual([]);
  const read = {
    LanguageModelCreateOptions: (options: never) => LanguageModel.create(options),
    LanguageModelCreateCoreOptions: (options: never) => LanguageModel.availability(options),
    LanguageModelPromptOptions: (options: never) => session.measureContextUsage("a", options),
    LanguageModelAppendOptions: (options: never) => session.append("a", options),
    LanguageModelCloneOptions: (options: never) => session.clone(options),
  };
  for (const [name, call] of Object.entries(read)) {
    expect(await readMembers(call)).toEqual(draftOrder(name));
  }
});
