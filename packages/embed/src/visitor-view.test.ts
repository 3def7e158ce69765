/** What the visitor sees and decides: the kept conversation, questions of tools, labels and thumbs. */
import "fake-indexeddb/auto";
import { createMemoryStorage } from "@waggle/collector";
import { expect, test } from "vitest";
import { openPage, say, until } from "./agent.fixture.ts";
import type { PageTool } from "@waggle/agent/tools";

test("a conversation survives a reload of the page, and forget me removes it from the tab", async () => {
  const tabStorage = createMemoryStorage();
  const first = openPage({ tabStorage, turns: [say("Here you are.")] });
  await first.agent.send("a mug").finished;
  await first.agent.dispose();

  const second = openPage({ tabStorage, turns: [say("Again.")] });
  expect(second.agent.conversation).toEqual(first.agent.conversation);
  await second.agent.send("another").finished;
  expect(second.agent.conversation).toHaveLength(4);

  await second.agent.forgetMe();
  expect(openPage({ tabStorage }).agent.conversation).toEqual([]);
});

test("a tool with confirm runs only after the visitor allows it, and a label is for the visitor alone", async () => {
  const paid: unknown[] = [];
  const pay: PageTool = {
    name: "pay",
    description: "Pay.",
    parameters: { type: "object", properties: { amount: { type: "number" } } },
    label: ({ amount }) => `Paying ${String(amount)} euros`,
    confirm: ({ amount }) => `Pay ${String(amount)} euros?`,
    run: ({ amount }) => paid.push(amount),
  };
  const turns = [20, 30].flatMap((amount) => [
    say("", { name: "pay", arguments: { amount } }),
    say("Done."),
  ]);
  const { agent, policy } = openPage({ tools: [pay], turns });
  for (const isAllowed of [false, true]) {
    const { finished } = agent.send("pay");
    await until(agent, () => agent.confirmation !== null);
    expect(paid).toEqual([]);
    expect(agent.confirmation?.question).toBe(`Pay ${isAllowed ? 30 : 20} euros?`);
    agent.confirmation?.answer(isAllowed);
    await finished;
  }
  expect(paid).toEqual([30]);
  const labels = agent.conversation.flatMap((item) =>
    item.kind === "answer"
      ? item.parts.flatMap((part) => (part.kind === "tool" ? [part.activity.label] : []))
      : [],
  );
  expect(labels).toEqual(["Paying 20 euros", "Paying 30 euros"]);
  const read = policy.contexts.map(({ tokenIds }) =>
    new TextDecoder().decode(Uint8Array.from(tokenIds.filter((id) => id < 256))),
  );
  expect(read[0]).toContain("the visitor did not allow this call");
  expect(read.join()).not.toContain("Paying");
});

test("a label that throws costs the label only", async () => {
  const broken: PageTool = {
    name: "find_it",
    description: "Find.",
    parameters: { type: "object" },
    label: () => {
      throw new Error("no label");
    },
    run: () => 1,
  };
  const turns = [say("", { name: "find_it", arguments: {} }), say("Found.")];
  const { agent } = openPage({ tools: [broken], turns });
  expect(await agent.send("find").finished).toMatchObject({ text: "Found." });
  expect(agent.conversation[1]).toMatchObject({
    parts: [{ activity: { label: "find it" } }, { text: "Found." }],
  });
});

test("feedback says whether the site gets it", async () => {
  const { agent, edge } = openPage({ turns: [say("One."), say("Two.")] });
  expect(await agent.feedback("thumb-up")).toBe("no-answer");
  await agent.send("hi").finished;
  expect(await agent.feedback("thumb-up")).toBe("not-shared");
  agent.consent.grant();
  await agent.send("hi").finished;
  expect(await agent.feedback("thumb-down")).toBe("queued");
  await until(agent, () => edge.feedback.length > 0);
  expect(edge.feedback.map(({ kind }) => kind)).toEqual(["thumb-down"]);
});

test("after a reload a thumb is still there with its outcome, and the same thumb is not sent again", async () => {
  const tabStorage = createMemoryStorage();
  const storage = createMemoryStorage();
  const first = openPage({ turns: [say("One.")], tabStorage, storage });
  first.agent.consent.grant();
  await first.agent.send("hi").finished;
  expect(await first.agent.feedback("thumb-up")).toBe("queued");
  expect(await first.agent.feedback("thumb-up")).toBe("queued");
  await until(first.agent, () => first.edge.feedback.length > 0);
  await first.agent.dispose();

  const { agent, edge } = openPage({ tabStorage, storage });
  const answer = () => agent.conversation.at(-1);
  expect(answer()).toMatchObject({ feedback: "thumb-up", feedbackOutcome: "queued" });
  expect(await agent.feedback("thumb-up")).toBe("queued");
  expect((await agent.outbox()).feedbackWaiting).toBe(0);
  agent.consent.withdraw();
  expect(await agent.feedback("thumb-up")).toBe("not-shared");
  expect(answer()).toMatchObject({ feedback: "thumb-up", feedbackOutcome: "not-shared" });
  agent.consent.grant();
  expect(await agent.feedback("thumb-down")).toBe("queued");
  await until(agent, () => edge.feedback.length > 0);
  expect([...first.edge.feedback, ...edge.feedback].map(({ kind }) => kind)).toEqual([
    "thumb-up",
    "thumb-down",
  ]);
});
