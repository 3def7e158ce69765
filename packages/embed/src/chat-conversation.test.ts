import type { AgentEvent } from "@waggle/agent";
import { createRedactor } from "@waggle/collector";
import type { Tool } from "@waggle/protocol";
import { createScriptedChat } from "@waggle/runtime/testing";
import type { ScriptedChatTurn } from "@waggle/runtime/testing";
import { expect, test } from "vitest";
import { createChatConversation } from "./chat-conversation.ts";

const seen: unknown[] = [];
const lookUp: Tool = {
  definition: {
    name: "lookUp",
    description: "Finds a customer.",
    parameters: { type: "object", properties: { mail: { type: "string" } }, required: ["mail"] },
    source: "page",
  },
  run: (args) => {
    seen.push(args);
    return Promise.resolve({ name: "Ada", mail: args["mail"] });
  },
};
const remote: Tool = {
  ...lookUp,
  definition: { ...lookUp.definition, name: "remote", source: "edge" },
};

const say = (text: string): string => JSON.stringify({ say: text });
const call = (tool: string, args: object): string => JSON.stringify({ tool, arguments: args });

function open(turns: readonly ScriptedChatTurn[], tools: readonly Tool[] = [lookUp, remote]) {
  const chat = createScriptedChat(turns);
  const redactor = createRedactor({ rules: [] });
  const conversation = createChatConversation({
    chat,
    redactor,
    maxTurns: 3,
    timeoutMs: 0,
    system: "You help.",
    tools: () => tools,
  });
  const events: AgentEvent[] = [];
  const signal = new AbortController().signal;
  const send = (text: string) =>
    conversation.send(text, { signal, onEvent: (event) => events.push(event) });
  return { chat, conversation, events, send };
}

test("a turn calls a tool and the next one answers; edge tools see only placeholders", async () => {
  seen.length = 0;
  const { chat, events, send } = open([
    call("lookUp", { mail: "[EMAIL_1]" }),
    call("remote", { mail: "[EMAIL_1]" }),
    say("It is Ada."),
  ]);
  expect(await send("Who is ada@example.org?")).toEqual({ stopReason: "completed" });
  expect(JSON.stringify(chat.calls)).not.toContain("ada@example.org");
  // The page's tool gets the value, the edge's tool gets the placeholder.
  expect(seen).toEqual([{ mail: "ada@example.org" }, { mail: "[EMAIL_1]" }]);
  expect(events.map((event) => event.type)).toEqual([
    "turn-start",
    "tool-call",
    "tool-result",
    "turn-end",
    "turn-start",
    "tool-call",
    "tool-result",
    "turn-end",
    "turn-start",
    "token-delta",
    "turn-end",
  ]);
  expect(chat.calls[0]?.response_format).toMatchObject({
    json_schema: { schema: { anyOf: [{ required: ["say"] }, {}, {}] } },
  });
});

test("a request sees the previous one until the conversation is reset", async () => {
  const { chat, conversation, send } = open([say("Hello."), say("Again."), say("New.")]);
  await send("first");
  await send("second");
  expect(chat.calls[1]?.messages.map(({ content }) => content).slice(1)).toEqual([
    "first",
    say("Hello."),
    "second",
  ]);
  conversation.reset();
  await send("third");
  expect(chat.calls[2]?.messages).toHaveLength(2);
});

test("a mistaken call is a result that the chat sees; plain text is an answer", async () => {
  const { chat, events, send } = open([call("nothing", {}), "I do not know."]);
  await send("What now?");
  expect(chat.calls[1]?.messages.at(-1)?.content).toContain("UNKNOWN_TOOL");
  expect(events.at(-1)).toMatchObject({ type: "turn-end", text: "I do not know." });
});

test("arguments that are not an object are taken as no arguments", async () => {
  seen.length = 0;
  const anything = { ...lookUp, definition: { ...lookUp.definition, parameters: {} } };
  for (const args of [["a"], null, "a"]) {
    const { send } = open(
      [JSON.stringify({ tool: "lookUp", arguments: args }), say("ok")],
      [anything],
    );
    await send("go");
  }
  expect(seen).toEqual([{}, {}, {}]);
});

test("running out of turns and an abort are stop reasons; a failure of the chat is thrown", async () => {
  const endless = open(Array.from({ length: 3 }, () => call("lookUp", { mail: "x" })));
  expect(await endless.send("go")).toEqual({ stopReason: "max-turns" });

  const controller = new AbortController();
  const aborted = open([
    () => {
      controller.abort();
      return say("late");
    },
  ]);
  expect(
    await aborted.conversation.send("go", { signal: controller.signal, onEvent: () => undefined }),
  ).toEqual({ stopReason: "aborted" });

  await expect(open([new Error("broken")]).send("go")).rejects.toThrow("broken");
});
