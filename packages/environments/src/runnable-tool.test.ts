/** Tools and the environments made of them: what a policy's mistakes, and a caller's, lead to. */
import { WaggleError } from "@waggle/protocol";
import { expect, test } from "vitest";
import { z } from "zod";
import { environmentNamed } from "./environments.ts";
import { definitionsOf, runTool, tool, toolResult } from "./runnable-tool.ts";
import { createToolEnvironment } from "./tool-environment.ts";

const signal = new AbortController().signal;
const TOOLS = {
  double: tool({
    description: "Doubles a number.",
    schema: z.strictObject({ value: z.number().max(99) }),
    run: ({ value }, scale: { by: number }) => value * scale.by,
  }),
};
const refusal = (code: string): object => expect.objectContaining({ code }) as object;

test("a tool runs on checked arguments and on the state", () => {
  expect(runTool(TOOLS, "double", { value: 4 }, { by: 2 })).toBe(8);
  const unknown = refusal("UNKNOWN_TOOL");
  for (const name of ["triple", "toString", "__proto__"]) {
    expect(() => runTool(TOOLS, name, {}, { by: 2 })).toThrow(unknown);
  }
  for (const wrong of [{}, { value: "4" }, { value: 100 }, { value: 1, more: 1 }]) {
    expect(() => runTool(TOOLS, "double", wrong, { by: 2 })).toThrow(
      refusal("INVALID_TOOL_ARGUMENTS"),
    );
  }
});

test("a policy sees the name, the text and the schema of a tool", () => {
  expect(definitionsOf(TOOLS, "edge")).toEqual([
    {
      name: "double",
      description: "Doubles a number.",
      parameters: {
        type: "object",
        properties: { value: { type: "number", maximum: 99 } },
        required: ["value"],
        additionalProperties: false,
      },
      source: "edge",
    },
  ]);
});

test("a typed failure is a result that the policy reads, any other error is thrown", async () => {
  const call = { id: "c7", name: "double", arguments: {} };
  expect(await toolResult(call, () => 5)).toEqual({ callId: "c7", ok: true, value: 5 });
  const long = new WaggleError("TOOL_FAILED", "x".repeat(900));
  expect(await toolResult(call, () => Promise.reject(long))).toEqual({
    callId: "c7",
    ok: false,
    error: { code: "TOOL_FAILED", message: "x".repeat(500) },
  });
  const bug = new TypeError("a bug");
  await expect(toolResult(call, () => Promise.reject(bug))).rejects.toBe(bug);
});

const task = {
  environment: "own",
  seed: 3,
  split: "train",
  kind: "f",
  template: "t",
  system: "Be good.",
  request: "How much?",
} as const;

test("an environment is observed once and stepped until it ends", async () => {
  const misuse = refusal("INVALID_ARGUMENT");
  const create = [
    () => createToolEnvironment({ task, tools: TOOLS, state: { by: 2 } }),
    () => {
      const form = environmentNamed("form");
      return form.create(form.reference(1, "train", 0)).environment;
    },
  ];
  for (const make of create) {
    const environment = make();
    const answer = { text: "8", toolCalls: [] };
    await expect(environment.step(answer, signal)).rejects.toThrow(misuse);
    const { tools, userMessage } = await environment.observe();
    expect(userMessage.length).toBeGreaterThan(0);
    expect(tools.some(({ source }) => source === "page")).toBe(true);
    await expect(environment.observe()).rejects.toThrow(misuse);
    expect(await environment.step(answer, signal)).toEqual({ toolResults: [], terminated: true });
    await expect(environment.step(answer, signal)).rejects.toThrow(misuse);
  }
});

test("replies and states decide when an environment ends", async () => {
  const environment = createToolEnvironment({
    task,
    tools: TOOLS,
    state: { by: 2 },
    answer: (text) => (text === "" ? "Say something." : null),
    afterCalls: ({ by }) => by > 2,
  });
  await environment.observe();
  expect(await environment.step({ text: "", toolCalls: [] }, signal)).toEqual({
    toolResults: [],
    userMessage: "Say something.",
    terminated: false,
  });
  const call = { id: "c0", name: "double", arguments: { value: 3 } };
  expect(await environment.step({ text: "", toolCalls: [call] }, signal)).toEqual({
    toolResults: [{ callId: "c0", ok: true, value: 6 }],
    terminated: false,
  });
  const ending = createToolEnvironment({
    task,
    tools: TOOLS,
    state: { by: 2 },
    afterCalls: () => true,
  });
  await ending.observe();
  expect(await ending.step({ text: "", toolCalls: [call] }, signal)).toMatchObject({
    terminated: true,
  });
});

test("environments that do not exist are refused with a code", () => {
  expect(() => environmentNamed("moon")).toThrow(refusal("INVALID_ARGUMENT"));
});
