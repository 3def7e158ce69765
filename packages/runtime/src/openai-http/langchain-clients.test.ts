/** Our server with LangChain's classes for OpenAI. */
import { ContextOverflowError } from "@langchain/core/errors";
import {
  type AIMessageChunk,
  HumanMessage,
  SystemMessage,
  type ToolMessage,
} from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { ChatOpenAI, OpenAI } from "@langchain/openai";
import { expect, test } from "vitest";
import { z } from "zod";
import { CALL, openScripted, said } from "../chat/scripted-chat.fixture.ts";
import { saying, served } from "./open-clients.fixture.ts";

const open = (baseURL: string) =>
  new ChatOpenAI({ model: "nano", apiKey: "none", maxRetries: 0, configuration: { baseURL } });

const search = tool(({ query }) => `found ${query}`, {
  name: "search",
  description: "Finds products.",
  schema: z.object({ query: z.string() }),
});

test("a chain calls a tool, whose result is a later message", async () => {
  const model = open(await saying(CALL, "Found é.")).bindTools([search]);
  const asked = [new SystemMessage("Be brief."), new HumanMessage("find é")];
  const calling = await model.invoke(asked);
  expect(calling.tool_calls).toMatchObject([{ name: "search", args: { query: "é" } }]);
  const result: ToolMessage = await search.invoke(calling.tool_calls![0]!);
  const answer = await model.invoke([...asked, calling, result]);
  expect(answer.text).toBe("Found é.");
  expect(answer.usage_metadata).toMatchObject({ output_tokens: said("Found é.").length });
});

test("a stream adds up to its message, with calls and usage", async () => {
  const model = open(await saying(`Wait. ${CALL}`)).bindTools([search]);
  let whole: AIMessageChunk | undefined;
  for await (const chunk of await model.stream("find é")) {
    whole = whole === undefined ? chunk : whole.concat(chunk);
  }
  expect(whole?.text.trim()).toBe("Wait.");
  expect(whole?.tool_calls).toMatchObject([{ name: "search", args: { query: "é" } }]);
  expect(whole?.usage_metadata).toMatchObject({ output_tokens: said(`Wait. ${CALL}`).length });
});

test.each(["jsonSchema", "jsonMode", "functionCalling"] as const)(
  "structured output with %s",
  async (method) => {
    const call = '<tool_call>{"name":"person","arguments":{"email":"a@b.org"}}</tool_call>';
    const text = method === "functionCalling" ? call : '{"email":"a@b.org"}';
    const schema = z.object({ email: z.email() });
    const model = open(await saying(text)).withStructuredOutput(schema, { name: "person", method });
    expect(await model.invoke("Who?")).toEqual({ email: "a@b.org" });
  },
);

test("several prompts in one text completion have an answer each, in order", async () => {
  const baseURL = await saying("one", "two");
  const model = new OpenAI({
    model: "nano",
    apiKey: "none",
    maxRetries: 0,
    configuration: { baseURL },
  });
  const { generations, llmOutput } = await model.generate(["a", "b"]);
  expect(generations.map(([generation]) => generation?.text)).toEqual(["one", "two"]);
  expect(llmOutput?.["tokenUsage"]).toMatchObject({ completionTokens: 8 });
});

test("a prompt that is too long is LangChain's own error", async () => {
  const { chat } = openScripted([said("x")], { policyOptions: { contextLength: 10 } });
  await expect(open(await served(chat)).invoke("a long text")).rejects.toSatisfy((error) =>
    ContextOverflowError.isInstance(error),
  );
});
