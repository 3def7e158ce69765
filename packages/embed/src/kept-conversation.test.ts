import { createMemoryStorage } from "@waggle/collector";
import { expect, test } from "vitest";
import type { ConversationItem } from "./agent.ts";
import { KeptConversation } from "./kept-conversation.ts";

const request = (text: string): ConversationItem => ({ kind: "request", id: text, text });
const answer: ConversationItem = {
  kind: "answer",
  id: "a",
  parts: [
    { kind: "text", text: "Here." },
    {
      kind: "tool",
      activity: {
        id: "c0",
        name: "find",
        label: "Finding",
        source: "page",
        arguments: { query: "mug" },
        result: { callId: "c0", ok: true, value: 1 },
      },
    },
  ],
  running: false,
  stopReason: "completed",
  failure: null,
  trajectoryId: "t",
  policyVersion: 3,
  feedback: null,
};

test("a conversation is read again as it was, for this site only", () => {
  const storage = createMemoryStorage();
  new KeptConversation(storage, "one").write([request("mug"), answer]);
  expect(new KeptConversation(storage, "one").read()).toEqual([request("mug"), answer]);
  expect(new KeptConversation(storage, "two").read()).toEqual([]);
});

test("an answer that was running counts as stopped", () => {
  const kept = new KeptConversation(createMemoryStorage(), "one");
  kept.write([{ ...answer, running: true, stopReason: null }]);
  expect(kept.read()).toEqual([{ ...answer, running: false, stopReason: "aborted" }]);
});

test("the newest 60 items are kept, and an empty conversation leaves nothing", () => {
  const storage = createMemoryStorage();
  const kept = new KeptConversation(storage, "one");
  kept.write(Array.from({ length: 70 }, (_, i) => request(String(i))));
  expect(kept.read().map(({ id }) => id)).toEqual(
    Array.from({ length: 60 }, (_, i) => `${i + 10}`),
  );
  kept.write([]);
  expect(storage.getItem("waggle.conversation.one")).toBeNull();
});

test.each([
  "not JSON",
  "{}",
  "[null]",
  '[{"kind":"request","id":"1","text":5}]',
  '[{"kind":"answer","id":"1","parts":[{"kind":"tool","activity":{}}]}]',
])("what is not a conversation is ignored: %s", (text) => {
  const storage = createMemoryStorage();
  storage.setItem("waggle.conversation.one", text);
  expect(new KeptConversation(storage, "one").read()).toEqual([]);
});

test("a storage without room keeps no half conversation", () => {
  const storage = createMemoryStorage();
  const kept = new KeptConversation(
    {
      ...storage,
      setItem: () => {
        throw new Error("quota");
      },
    },
    "one",
  );
  storage.setItem("waggle.conversation.one", JSON.stringify([request("old")]));
  kept.write([request("new")]);
  expect(kept.read()).toEqual([]);
});
