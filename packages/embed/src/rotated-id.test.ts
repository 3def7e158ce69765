/** A page whose site gives visitors a new id after some days. */
import "fake-indexeddb/auto";
import { createMemoryStorage } from "@waggle/collector";
import type { KeyValueStorage } from "@waggle/collector";
import { expect, test } from "vitest";
import { createMemoryEdge, openPage, say, until } from "./agent.fixture.ts";
import type { MemoryEdge } from "./agent.fixture.ts";

const DAY = 86_400_000;
const FIRST = "00000000-0000-4000-8000-000000000001";
const SECOND = "00000000-0000-4000-8000-000000000002";

/** Makes the kept receipts this many days older. */
function age(storage: KeyValueStorage, days: number): void {
  const receipts = JSON.parse(storage.getItem("waggle.receipts") ?? "[]") as {
    recordedAt: string;
  }[];
  for (const one of receipts) {
    one.recordedAt = new Date(Date.parse(one.recordedAt) - days * DAY).toISOString();
  }
  storage.setItem("waggle.receipts", JSON.stringify(receipts));
}

const parts = (storage: KeyValueStorage, edge: MemoryEdge, outboxName: string) => ({
  storage,
  edge,
  outboxName,
  turns: [say("Here.")],
  consent: { version: "1", pseudonymDays: 30 },
});

test("a page whose id is old enough sends under a new one, and shows and deletes the data of both", async () => {
  const storage = createMemoryStorage();
  const edge = createMemoryEdge();
  edge.visitorId = FIRST;
  const outboxName = crypto.randomUUID();
  const first = openPage(parts(storage, edge, outboxName));
  first.agent.consent.grant();
  await first.agent.send("a mug").finished;
  await until(first.agent, async () => (await first.agent.outbox()).sent === 1);
  await first.agent.dispose();
  age(storage, 29);

  const early = openPage(parts(storage, edge, outboxName));
  await early.agent.outbox();
  expect(storage.getItem("waggle.earlierTokens")).toBeNull();
  await early.agent.dispose();
  age(storage, 1);

  const { agent } = openPage(parts(storage, edge, outboxName));
  await agent.outbox();
  edge.visitorId = SECOND;
  expect(JSON.parse(storage.getItem("waggle.earlierTokens") ?? "[]")).toEqual(["visitor"]);
  await agent.send("a mug").finished;
  await until(agent, async () => (await agent.outbox()).sent === 2);
  expect((await agent.receipts()).map(({ visitorId }) => visitorId)).toEqual([FIRST, SECOND]);
  expect(edge.trajectories.map(({ consent }) => consent.grantedAt.slice(10))).toEqual([
    expect.not.stringMatching(/^T00:00:00/),
    "T00:00:00.000Z",
  ]);
  // This edge has the same two records for both ids.
  expect((await agent.stored()).counts).toEqual({ trajectories: 4, feedback: 0 });
  edge.paths.length = 0;
  await agent.forgetMe();
  expect(edge.paths.filter((path) => path === "/v1/visitor").length).toBeGreaterThan(0);
  expect(storage.getItem("waggle.earlierTokens")).toBeNull();
});
