/** Our server with the AI SDK's own providers for OpenAI and for servers like it. */
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { APICallError, generateText, Output, stepCountIs, streamText, tool } from "ai";
import type { LanguageModel } from "ai";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { CALL, openScripted, said } from "../chat/scripted-chat.fixture.ts";
import { busyOnce, saying, served } from "./open-clients.fixture.ts";

const search = tool({
  description: "Finds products.",
  inputSchema: z.object({ query: z.string(), maxPrice: z.number().optional() }),
  execute: ({ query }) => Promise.resolve({ found: query }),
});

type Models = { readonly chat: LanguageModel; readonly text: LanguageModel };

function compatible(baseURL: string): Models {
  const provider = createOpenAICompatible({
    name: "waggle",
    baseURL,
    includeUsage: true,
    supportsStructuredOutputs: true,
  });
  return { chat: provider.chatModel("nano"), text: provider.completionModel("nano") };
}

function official(baseURL: string): Models {
  const provider = createOpenAI({ baseURL, apiKey: "none" });
  return { chat: provider.chat("nano"), text: provider.completion("nano") };
}

describe.each([
  ["@ai-sdk/openai-compatible", compatible],
  ["@ai-sdk/openai", official],
])("%s", (_, open) => {
  test("generates text from a conversation, with every setting that a chat has", async () => {
    const { text, finishReason, usage } = await generateText({
      model: open(await saying("Fine, thanks. END no")).chat,
      system: "Be brief.",
      messages: [
        { role: "user", content: [{ type: "text", text: "Hi." }] },
        { role: "assistant", content: "Hello." },
        { role: "user", content: "How are you?" },
      ],
      temperature: 0.5,
      topP: 0.9,
      seed: 4,
      maxOutputTokens: 50,
      stopSequences: [" END"],
      presencePenalty: 0,
    });
    expect({ text, finishReason }).toEqual({ text: "Fine, thanks.", finishReason: "stop" });
    expect(usage.outputTokens).toBeGreaterThan(10);
    expect(usage.inputTokens).toBeGreaterThan(10);
  });

  test("runs a tool and goes on, whole and as a stream", async () => {
    const turns = [`Wait. ${CALL}`, "Found é."];
    const options = { prompt: "find é", tools: { search }, stopWhen: stepCountIs(3) };
    const { steps } = await generateText({ model: open(await saying(...turns)).chat, ...options });
    expect(steps.map((step) => step.text.trim())).toEqual(["Wait.", "Found é."]);
    expect(steps[0]?.toolResults).toMatchObject([{ output: { found: "é" } }]);
    const streamed = streamText({ model: open(await saying(...turns)).chat, ...options });
    expect((await streamed.text).trim()).toBe("Found é.");
    expect((await streamed.steps)[0]?.toolCalls).toMatchObject([{ input: { query: "é" } }]);
    expect((await streamed.totalUsage).outputTokens).toBeGreaterThan(10);
  });

  test("reads an object of a schema, beside tools as well", async () => {
    const output = Output.object({ schema: z.object({ email: z.email() }) });
    const text = '{"email":"a@b.org"}';
    const model = open(await saying(text, text)).chat;
    const expected = { email: "a@b.org" };
    expect((await generateText({ model, prompt: "x", output })).output).toEqual(expected);
    const tools = { search };
    expect((await generateText({ model, prompt: "x", output, tools })).output).toEqual(expected);
  });

  test("retries while the model is busy, also at the start of a stream", async () => {
    const asked = async () => ({ model: open(await busyOnce("Hello.")).chat, prompt: "x" });
    expect((await generateText(await asked())).text).toBe("Hello.");
    expect(await streamText(await asked()).text).toBe("Hello.");
  });

  test("gets the reason of a refusal as an APICallError", async () => {
    const error: unknown = await generateText({
      model: open(await saying()).chat,
      prompt: "x",
      frequencyPenalty: 1,
    }).catch((reason: unknown) => reason);
    expect(APICallError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({
      statusCode: 400,
      isRetryable: false,
      message: "frequency_penalty is not supported; leave it out",
    });
  });

  test("completes text", async () => {
    const model = open(await saying("time")).text;
    expect((await generateText({ model, prompt: "Once upon a" })).text).toBe("time");
  });
});

test("thoughts are reasoning parts", async () => {
  const { chat } = openScripted([said("<think>Hm.</think>Yes.")]);
  const provider = createOpenAICompatible({ name: "waggle", baseURL: await served(chat) });
  const result = await generateText({ model: provider("nano"), prompt: "x" });
  expect(result.reasoningText).toContain("Hm.");
  expect(result.text).toBe("Yes.");
});
