/** What leaves a page, by what the site collects and what the visitor allows. */
import "fake-indexeddb/auto";
import { createMemoryStorage } from "@waggle/collector";
import { isStatistics } from "@waggle/protocol";
import { expect, test } from "vitest";
import { openPage, say, until } from "./agent.fixture.ts";

const SEARCH = {
  name: "search",
  description: "Search.",
  parameters: { type: "object" },
  run: () => "a blue mug",
};
const TURNS = [say("", { name: "search", arguments: { text: "blue mug" } }), say("A blue mug.")];

test("with statistics, a request leaves tool names and times, no token and no text, and edits stay", async () => {
  const { agent, edge } = openPage({
    turns: TURNS,
    tools: [SEARCH],
    consent: { version: "1", collect: "statistics" },
  });
  agent.consent.grant();
  await agent.send("a blue mug for Ada").finished;
  await until(agent, () => edge.trajectories.length === 1);
  const [sent] = edge.trajectories;
  expect(sent && isStatistics(sent)).toBe(true);
  expect(sent?.turns.flatMap(({ toolCalls }) => toolCalls)).toEqual([
    { id: "c0", name: "search", arguments: {} },
  ]);
  expect(JSON.stringify(sent)).not.toMatch(/blue|Ada/);
  const [entry] = await agent.sent();
  const kept = await agent.sentDetail(entry?.digest ?? "");
  expect(kept).toMatchObject({ text: null, trajectory: sent });
  expect(await agent.feedback("edit", undefined, "A red mug.")).toBe("not-shared");
  expect(await agent.feedback("thumb-up")).toBe("queued");
  await until(agent, () => edge.feedback.length === 1);
  expect(edge.feedback).toMatchObject([{ kind: "thumb-up" }]);
});

test("control: without the setting the same request leaves its text", async () => {
  const { agent, edge } = openPage({ turns: TURNS, tools: [SEARCH] });
  agent.consent.grant();
  await agent.send("a blue mug").finished;
  await until(agent, () => edge.trajectories.length === 1);
  expect(JSON.stringify(edge.trajectories)).toContain("blue");
});

test("with statistics, messages lose their text, also where the page would share it", async () => {
  const { agent, edge } = openPage({
    turns: [say("A red mug."), say("A blue mug.")],
    shareMessages: true,
    shareCorrections: true,
    consent: { version: "1", collect: "statistics" },
  });
  agent.consent.grant();
  await agent.send("a mug").finished;
  await agent.send("No, I meant the blue mug.").finished;
  await until(agent, () => edge.trajectories.length === 2 && edge.feedback.length === 1);
  expect(edge.feedback[0]?.kind).toMatch(/^next-(?:corrects|contradicts)$/);
  expect(edge.feedback[0]).not.toHaveProperty("text");
});

test("a visitor who allows no feedback sends none, and one who allows no training gets no tasks", async () => {
  const { agent, edge } = openPage({
    turns: [say("Here."), say("Again.")],
    consent: { version: "1", choices: true },
  });
  agent.consent.grant(["collect"]);
  await agent.send("a mug").finished;
  expect(await agent.feedback("thumb-up")).toBe("not-shared");
  expect(await agent.outcome("booked", true)).toBe("not-shared");
  const simulation = agent.simulate({ environment: () => Promise.reject(new Error()), tasks: 1 });
  await expect(simulation).rejects.toMatchObject({ code: "CONSENT_MISSING" });
  await until(agent, () => edge.trajectories.length === 1);
  expect(edge.trajectories[0]?.consent).toMatchObject({ scopes: ["collect"], choices: true });
  agent.consent.grant();
  await agent.send("another mug").finished;
  expect(await agent.feedback("thumb-up")).toBe("queued");
  await until(agent, () => edge.feedback.length === 1);
  expect(edge.paths).not.toContain("/v1/assignments");
});

test("a page keeps the receipt of a consent, gives it back with a withdrawal, and forgets it with the visitor", async () => {
  const storage = createMemoryStorage();
  const { agent, edge } = openPage({ turns: [], storage });
  const agreed = agent.consent.grant(undefined, { text: "May we?", language: "en" });
  await until(agent, async () => (await agent.receipts()).length === 1);
  expect(await agent.receipts()).toEqual(edge.receipts);
  expect(edge.receipts).toMatchObject([{ consent: agreed, text: { language: "en" } }]);
  agent.consent.withdraw();
  expect(await agent.receipts()).toEqual([]);
  await expect.poll(() => edge.withdrawn).toEqual(edge.receipts);
  agent.consent.grant();
  await until(agent, async () => (await agent.receipts()).length === 1);
  await agent.forgetMe();
  expect(await agent.receipts()).toEqual([]);
  expect(edge.withdrawn).toHaveLength(1);
  expect(storage.getItem("waggle.receipts")).toBeNull();
});

test("the page reads what the edge stores, page by page, and says if it cannot", async () => {
  const { agent, edge } = openPage({ turns: [say("Here.")] });
  agent.consent.grant();
  await agent.send("a mug").finished;
  await until(agent, () => edge.trajectories.length === 1);
  const first = await agent.stored();
  expect(first).toMatchObject({ counts: { trajectories: 1, feedback: 0 }, next: "trajectory." });
  const rest = await agent.stored("trajectory.");
  expect(rest).toMatchObject({ counts: null, next: null });
  expect(JSON.parse(rest.text)).toEqual({ kind: "trajectory", trajectory: edge.trajectories[0] });
  edge.down = true;
  await expect(agent.stored()).rejects.toMatchObject({ code: "NETWORK" });
});
