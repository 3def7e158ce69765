import { generateText } from "ai";
import { expect, test } from "vitest";
import { createLanguageModel } from "../ai-sdk/language-model.ts";
import { sourceOf } from "../chat/chat-source.ts";
import { collect } from "../chat/scripted-chat.fixture.ts";
import { createScriptedChat } from "./scripted-chat.ts";

const messages = [{ role: "user" as const, content: "hi" }];

test("a script is streamed word by word, and every request is recorded", async () => {
  const chat = createScriptedChat([
    "One two  three",
    { content: "So: ", toolCalls: [{ name: "search", arguments: { q: 1 } }] },
  ]);
  const stream = await chat.completions.create({ messages, stream: true, temperature: 0 });
  const texts = (await collect(stream)).map((chunk) => chunk.choices[0]?.delta.content);
  expect(texts).toEqual(["", "One", " two", "  three", undefined]);
  expect(chat.remaining).toBe(1);
  const answer = await chat.completions.create({ messages });
  expect(answer.choices[0]).toMatchObject({
    finish_reason: "tool_calls",
    message: {
      content: "So: ",
      tool_calls: [{ id: "call_2_0", function: { name: "search", arguments: '{"q":1}' } }],
    },
    record: { learnable: false },
  });
  expect(chat.calls).toEqual([{ messages, stream: true, temperature: 0 }, { messages }]);
});

test("turns can be computed, fail, break off and run out", async () => {
  const chat = createScriptedChat([
    ({ messages: sent }) => `heard ${sent.length}`,
    new Error("offline"),
    { content: "half", error: new Error("cut") },
  ]);
  const content = async () =>
    (await chat.completions.create({ messages })).choices[0]?.message.content;
  expect(await content()).toBe("heard 1");
  await expect(content()).rejects.toThrow("offline");
  await expect(content()).rejects.toThrow("cut");
  await expect(content()).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  const signal = AbortSignal.abort(new Error("enough"));
  await expect(chat.completions.create({ messages }, { signal })).rejects.toThrow("enough");
});

test("it can replace a model of the AI SDK", async () => {
  const model = createLanguageModel({ source: sourceOf(createScriptedChat(["Fine."])) });
  expect((await generateText({ model, prompt: "?" })).text).toBe("Fine.");
});
