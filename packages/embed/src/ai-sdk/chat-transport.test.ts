/** The transport behind the AI SDK's own `Chat`, which is what `useChat` uses, and a scripted policy. */
import { Chat } from "@ai-sdk/react";
import type { UIMessage } from "ai";
import { afterEach, expect, test } from "vitest";
import { openPage, say, type PageOptions } from "../agent.fixture.ts";
import type { Agent } from "../agent.ts";
import { createChatTransport } from "./chat-transport.ts";

const opened: Agent[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((agent) => agent.dispose()));
});

function open(turns: NonNullable<PageOptions["turns"]>, options: PageOptions = {}) {
  const page = openPage({
    turns,
    tools: [
      {
        name: "search",
        description: "Find products.",
        parameters: { type: "object", properties: { query: { type: "string" } } },
        label: ({ query }) => `Searching ${String(query)}`,
        run: ({ query }) => {
          if (query === "hats") throw new Error("sold out");
          return [`red ${String(query)}`];
        },
      },
    ],
    ...options,
  });
  opened.push(page.agent);
  const transport = createChatTransport(page.agent);
  let finished: object = {};
  const chat = new Chat<UIMessage>({
    id: "one",
    transport,
    onFinish: ({ isAbort, isError, finishReason }) => {
      finished = { isAbort, isError, finishReason };
    },
  });
  return { ...page, chat, transport, finished: () => finished };
}

const partsOf = (message: UIMessage | undefined) =>
  message?.parts.map((part) =>
    part.type === "text" ? { text: part.text, state: part.state } : part,
  );

test("an answer becomes steps, text, tool calls with results, and metadata", async () => {
  const { chat, agent, finished } = open([
    say("Let me see.", { name: "search", arguments: { query: "mug" } }),
    say("There is a red mug."),
  ]);
  await chat.sendMessage({ text: "a mug" });
  expect({ status: chat.status, error: chat.error }).toEqual({ status: "ready", error: undefined });
  expect(partsOf(chat.lastMessage)).toEqual([
    { type: "step-start" },
    { text: "Let me see.", state: "done" },
    expect.objectContaining({
      type: "dynamic-tool",
      toolName: "search",
      title: "Searching mug",
      state: "output-available",
      input: { query: "mug" },
      output: ["red mug"],
    }),
    { type: "step-start" },
    { text: "There is a red mug.", state: "done" },
  ]);
  const answer = agent.conversation.at(-1);
  expect(answer?.kind).toBe("answer");
  expect(chat.lastMessage?.metadata).toEqual({
    trajectoryId: answer?.kind === "answer" ? answer.trajectoryId : "",
    policyVersion: 1,
    stopReason: "completed",
  });
  expect(finished()).toEqual({ isAbort: false, isError: false, finishReason: "stop" });
});

test("a tool that throws is an error of its call, and the answer goes on", async () => {
  const { chat } = open([say("", { name: "search", arguments: { query: "hats" } }), say("None.")]);
  await chat.sendMessage({ text: "hats" });
  expect(chat.lastMessage?.parts).toContainEqual(
    expect.objectContaining({ state: "output-error", errorText: "TOOL_FAILED: sold out" }),
  );
  expect(partsOf(chat.lastMessage)?.at(-1)).toEqual({ text: "None.", state: "done" });
});

test("regenerate repeats the last request, and the new answer replaces the last one", async () => {
  const { chat, agent } = open([say("One."), say("Two."), say("Three."), say("Four.")]);
  await chat.sendMessage({ text: "first" });
  await chat.sendMessage({ text: "second" });
  await chat.regenerate();
  expect(chat.messages.map((message) => partsOf(message)?.at(-1))).toMatchObject([
    { text: "first" },
    { text: "One." },
    { text: "second" },
    { text: "Three." },
  ]);
  expect(agent.conversation.findLast((item) => item.kind === "request")?.text).toBe("second");
  await chat.sendMessage({ text: "third" });
  expect(partsOf(chat.lastMessage)?.at(-1)).toMatchObject({ text: "Four." });
});

test("stop ends the answer and keeps its text, and the next message is answered", async () => {
  const halfway = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<void>();
  const { chat, agent, finished } = open([say("A long answer."), say("Short.")], {
    beforeToken: async (index) => {
      if (index !== 6) return;
      halfway.resolve();
      await stopped.promise;
    },
  });
  const sent = chat.sendMessage({ text: "one" });
  await halfway.promise;
  await expect.poll(() => partsOf(chat.lastMessage)?.at(-1)).toMatchObject({ text: "A long" });
  await chat.stop();
  stopped.resolve();
  await sent;
  expect({ status: chat.status, ...finished() }).toMatchObject({ status: "ready", isAbort: true });
  await expect.poll(() => agent.conversation.at(-1)).toMatchObject({ stopReason: "aborted" });
  await chat.sendMessage({ text: "two" });
  expect(partsOf(chat.lastMessage)?.at(-1)).toMatchObject({ text: "Short." });
});

test("a request that fails is the chat's error, and it can be repeated", async () => {
  const { chat, edge, agent } = open([say("Here.")]);
  edge.down = true;
  await agent.ready.catch(() => undefined);
  await agent.reload().catch(() => undefined);
  await chat.sendMessage({ text: "hello" });
  expect(chat.status).toBe("error");
  expect(chat.error?.message).not.toBe("");
  edge.down = false;
  await agent.reload();
  await chat.regenerate();
  expect(chat.status).toBe("ready");
  expect(partsOf(chat.lastMessage)?.at(-1)).toMatchObject({ text: "Here." });
});

test.each<[string, (chat: Chat<UIMessage>) => unknown, RegExp]>([
  [
    "an edited message",
    (chat) => chat.sendMessage({ text: "changed", messageId: chat.messages[2]?.id ?? "" }),
    /^the earlier messages are not those that the agent remembers/,
  ],
  [
    "a removed message",
    (chat) => {
      chat.messages = chat.messages.slice(2);
      return chat.sendMessage({ text: "third" });
    },
    /to start again, call agent.clear\(\)/,
  ],
  [
    "an earlier answer",
    (chat) => chat.regenerate({ messageId: chat.messages[1]?.id ?? "" }),
    /^only the last answer can be repeated/,
  ],
  [
    "a file",
    (chat) =>
      chat.sendMessage({ files: [{ type: "file", mediaType: "image/png", url: "data:," }] }),
    /^the agent reads only text, and the message has a part of type file/,
  ],
])("%s is refused with a reason", async (_, act, reason) => {
  const { chat, agent } = open([say("One."), say("Two.")]);
  await chat.sendMessage({ text: "first" });
  await chat.sendMessage({ text: "second" });
  await act(chat);
  expect(chat.status).toBe("error");
  expect(chat.error?.message).toMatch(reason);
  expect(agent.conversation).toHaveLength(4);
});

test("a message after a refused file is answered", async () => {
  const { chat } = open([say("One.")]);
  await chat.sendMessage({ files: [{ type: "file", mediaType: "image/png", url: "data:," }] });
  expect(chat.status).toBe("error");
  await chat.sendMessage({ text: "without the file" });
  expect(partsOf(chat.lastMessage)?.at(-1)).toMatchObject({ text: "One." });
});

test("a new chat forgets the conversation that the agent has kept", async () => {
  const { chat, agent } = open([say("Old."), say("New."), say("Newer.")]);
  await agent.send("before the reload").finished;
  await chat.sendMessage({ text: "first" });
  await chat.sendMessage({ text: "second" });
  const requests = agent.conversation.flatMap((item) => (item.kind === "request" ? item.text : []));
  expect(requests).toEqual(["first", "second"]);
});

test("a second chat on the same agent is refused, and no stream can be resumed", async () => {
  const { chat, transport } = open([say("One.")]);
  await chat.sendMessage({ text: "first" });
  const second = new Chat<UIMessage>({ id: "two", transport });
  await second.sendMessage({ text: "first" });
  expect(second.error?.message).toMatch(/^this agent is in the chat one, .* the chat two/);
  expect(await transport.reconnectToStream({ chatId: "one" })).toBeNull();
});
