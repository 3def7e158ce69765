import "fake-indexeddb/auto";
import { createScriptedChat } from "@waggle/runtime/testing";
import { sourceOf } from "@waggle/runtime/chat";
import { expect, test } from "vitest";
import { openPage, say, until } from "./agent.fixture.ts";

test("another model answers instead of the site's, collects nothing and does no tasks", async () => {
  const { agent, edge } = openPage({ turns: [say("From the site.")] });
  agent.consent.grant();
  await agent.ready;
  await agent.send("one").finished;
  await agent.feedback("thumb-up");
  await until(agent, async () => (await agent.outbox()).feedbackWaiting === 0);

  const chat = createScriptedChat([JSON.stringify({ say: "From the browser." })]);
  await agent.setModel({ kind: "chat", name: "the browser's model", source: sourceOf(chat) });
  expect(agent.conversation).toEqual([]);
  expect(agent).toMatchObject({ policyVersion: null, backend: "the browser's model" });
  const { text, stopReason } = await agent.send("two").finished;
  expect({ text, stopReason }).toEqual({ text: "From the browser.", stopReason: "completed" });
  expect(agent.conversation.at(-1)).toMatchObject({ trajectoryId: null, policyVersion: null });
  expect(await agent.sent()).toHaveLength(1);
  await agent.checkPolicy(); // a newer version of the site has no effect
  await expect(
    agent.simulate({ environment: () => Promise.reject(new Error("never")), tasks: 1 }),
  ).rejects.toMatchObject({ code: "CAPABILITY_MISSING" });
  expect(edge.trajectories).toHaveLength(1);
  await agent.dispose();
});

test("a model that fails to load is reported, and another can be chosen", async () => {
  const { agent } = openPage();
  await agent.ready;
  const broken = {
    availability: () => Promise.resolve("available" as const),
    open: () => Promise.reject(new Error("no such model")),
  };
  await expect(agent.setModel({ kind: "chat", name: "broken", source: broken })).rejects.toThrow(
    "no such model",
  );
  expect(agent.status).toMatchObject({ phase: "error", error: { message: "no such model" } });
  const chat = createScriptedChat(["Well."]);
  await agent.setModel({ kind: "chat", name: "works", source: sourceOf(chat) });
  expect((await agent.send("hello").finished).text).toBe("Well.");
  await agent.dispose();
});

test("a model chosen while another loads is the one that answers", async () => {
  const { agent } = openPage();
  await agent.ready;
  const late = Promise.withResolvers<ReturnType<typeof createScriptedChat>>();
  const slow = {
    availability: () => Promise.resolve("downloading" as const),
    open: () => late.promise,
  };
  const first = agent.setModel({ kind: "chat", name: "slow", source: slow });
  const chosen = createScriptedChat(["From the chosen one."]);
  await agent.setModel({ kind: "chat", name: "chosen", source: sourceOf(chosen) });
  late.resolve(createScriptedChat(["From the slow one."]));
  await first;
  expect(agent.backend).toBe("chosen");
  expect((await agent.send("hello").finished).text).toBe("From the chosen one.");
  await agent.dispose();
});
