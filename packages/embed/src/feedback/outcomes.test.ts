import "fake-indexeddb/auto";
import { createMemoryStorage } from "@waggle/collector";
import { expect, test } from "vitest";
import { createMemoryEdge, openPage, say, until } from "../agent.fixture.ts";

const idOf = (item: unknown): string | null =>
  (item as { readonly trajectoryId: string | null }).trajectoryId;

test("an outcome belongs to the newest answer, and its page can name that answer's trajectory", async () => {
  const { agent, edge } = openPage({ turns: [say("One."), say("Two.")] });
  expect(agent.trajectoryId).toBeNull();
  expect(await agent.outcome("booked", true)).toBe("no-answer");
  agent.consent.grant();
  await agent.send("hi").finished;
  const first = agent.trajectoryId;
  expect(await agent.outcome("rating", 4)).toBe("queued");
  await agent.send("hi").finished;
  expect(await agent.outcome("booked", false)).toBe("queued");
  await until(agent, () => edge.outcomes.length === 2);
  const second = agent.trajectoryId;
  expect(edge.trajectories.map(({ id }) => id)).toEqual([first, second]);
  expect(edge.outcomes).toMatchObject([
    { trajectoryId: first, metric: "rating", value: 4 },
    { trajectoryId: second, metric: "booked", value: false },
  ]);
  expect(agent.conversation.filter(({ kind }) => kind === "answer").map(idOf)).toEqual([
    first,
    second,
  ]);
});

test("an outcome that a tool reports belongs to the request that called it", async () => {
  const seen: (string | null)[] = [];
  const { agent, edge } = openPage({
    turns: [say("One."), say("", { name: "book", arguments: {} }), say("Booked.")],
    tools: [
      {
        name: "book",
        description: "Book.",
        parameters: { type: "object" },
        run: async () => {
          seen.push(agent.trajectoryId, await agent.outcome("booked", true));
          return "done";
        },
      },
    ],
  });
  agent.consent.grant();
  await agent.send("hi").finished;
  await agent.send("book").finished;
  await until(agent, () => edge.outcomes.length === 1 && edge.trajectories.length === 2);
  const id = edge.trajectories[1]?.id;
  expect(seen).toEqual([id, "queued"]);
  expect(edge.outcomes[0]?.trajectoryId).toBe(id);
});

test("nothing leaves the page without consent, also not for answers from before it was given", async () => {
  const { agent, edge } = openPage({ turns: [say("One."), say("Two.")] });
  await agent.send("hi").finished;
  expect(agent.trajectoryId).not.toBeNull();
  expect(await agent.outcome("booked", true)).toBe("not-shared");
  agent.consent.grant();
  expect(await agent.outcome("booked", true)).toBe("not-shared");
  // The control: the next answer is shared.
  await agent.send("hi").finished;
  expect(await agent.outcome("booked", true)).toBe("queued");
  agent.consent.withdraw();
  expect(await agent.outcome("booked", false)).toBe("not-shared");
  expect((await agent.outbox()).feedbackWaiting).toBe(0);
  expect(edge.outcomes.filter(({ value }) => value === false)).toEqual([]);
});

test("what was reported offline is sent once after a reload, when the edge is there", async () => {
  const storage = createMemoryStorage();
  const tabStorage = createMemoryStorage();
  const outboxName = crypto.randomUUID();
  const first = openPage({ turns: [say("One.")], storage, tabStorage, outboxName });
  first.agent.consent.grant();
  await first.agent.send("hi").finished;
  const id = first.agent.trajectoryId;
  await until(first.agent, () => first.edge.trajectories.length === 1);
  first.edge.down = true;
  expect(await first.agent.outcome("booked", true)).toBe("queued");
  await first.agent.dispose();
  expect(first.edge.outcomes).toEqual([]);

  const { agent, edge } = openPage({ storage, tabStorage, outboxName, edge: createMemoryEdge() });
  await until(agent, async () => (await agent.outbox()).feedbackWaiting === 0);
  expect(edge.outcomes).toMatchObject([{ trajectoryId: id, metric: "booked", value: true }]);
  // The answer is still the newest one.
  expect(agent.trajectoryId).toBe(id);
  expect(await agent.outcome("rating", 5)).toBe("queued");
  await until(agent, () => edge.outcomes.length === 2);
  expect(edge.outcomes[1]).toMatchObject({ trajectoryId: id, metric: "rating" });
});

test("a value that no metric has is refused at once", async () => {
  const { agent } = openPage({ turns: [say("One.")] });
  await agent.send("hi").finished;
  for (const value of [Number.NaN, Infinity, "yes", null]) {
    await expect(agent.outcome("booked", value as number)).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
    });
  }
  expect(await agent.outcome("booked", true)).toBe("not-shared");
});

test("a cleared conversation has no trajectory to report about", async () => {
  const { agent } = openPage({ turns: [say("One.")] });
  agent.consent.grant();
  await agent.send("hi").finished;
  agent.clear();
  expect(agent.trajectoryId).toBeNull();
  expect(await agent.outcome("booked", true)).toBe("no-answer");
});

test("an outcome of one turn has its number, and no other number is sent", async () => {
  const { agent, edge } = openPage({ turns: [say("One.")] });
  agent.consent.grant();
  await agent.send("hi").finished;
  expect(await agent.outcome("helpful", true, { turn: 1 })).toBe("queued");
  await until(agent, () => edge.outcomes.length === 1);
  expect(edge.outcomes[0]).toMatchObject({ trajectoryId: agent.trajectoryId, turn: 1 });
  for (const turn of [0, -1, 1.5, 1001, Number.NaN, "1"]) {
    await expect(agent.outcome("helpful", true, { turn: turn as number })).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
    });
  }
});

test("an outcome of a conversation names the earlier answers that the visitor shared, newest first", async () => {
  const turns = ["Private.", "One.", "Two.", "Three."].map((text) => say(text));
  const { agent, edge } = openPage({ turns });
  await agent.send("hi").finished;
  agent.consent.grant();
  const ids: (string | null)[] = [];
  for (const text of ["a", "b", "c"]) {
    await agent.send(text).finished;
    ids.push(agent.trajectoryId);
  }
  expect(await agent.outcome("rating", 4, { conversation: true })).toBe("queued");
  expect(await agent.outcome("booked", true)).toBe("queued");
  await until(agent, () => edge.outcomes.length === 2);
  const [rating, booked] = edge.outcomes;
  expect(rating).toMatchObject({ trajectoryId: ids[2], conversation: [ids[1], ids[0]] });
  // Pages of sites without such metrics send what an edge of the previous release takes.
  expect(Object.keys(booked ?? {}).toSorted()).toEqual([
    "at",
    "id",
    "metric",
    "trajectoryId",
    "value",
  ]);
});
