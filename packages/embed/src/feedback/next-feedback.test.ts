import "fake-indexeddb/auto";
import { expect, test } from "vitest";
import { openPage, say, until } from "../agent.fixture.ts";

const turns = [say("Done."), say("Sorry, done."), say("You are welcome."), say("Done.")];

test("the next message rates the answer before it, and its text is not sent as feedback", async () => {
  const { agent, edge } = openPage({ turns });
  agent.consent.grant();
  await agent.send("book a table for two").finished;
  await agent.send("no, for three").finished;
  await agent.send("thanks").finished;
  await agent.send("and a taxi").finished;
  await until(agent, () => edge.feedback.length === 2 && edge.trajectories.length === 4);
  const [first = "", second = ""] = agent.conversation.flatMap((item) =>
    item.kind === "answer" && item.trajectoryId !== null ? [item.trajectoryId] : [],
  );
  const kinds = edge.feedback.map(({ trajectoryId, kind }) => [trajectoryId, kind]);
  expect(Object.fromEntries(kinds)).toEqual({ [first]: "next-corrects", [second]: "next-thanks" });
  expect(JSON.stringify(edge.feedback)).not.toContain("three");
  // The thumbs of the panel do not change.
  expect(
    agent.conversation.flatMap((item) => (item.kind === "answer" ? [item.feedback] : [])),
  ).toEqual([null, null, null, null]);
});

test("nothing is sent without consent, or about an answer from before it", async () => {
  const { agent, edge } = openPage({ turns });
  await agent.send("book a table for two").finished;
  await agent.send("no, for three").finished;
  agent.consent.grant();
  await agent.send("thanks").finished;
  // The control: this answer is shared.
  await agent.send("no, for four").finished;
  await until(agent, () => edge.feedback.length > 0 && edge.trajectories.length === 2);
  expect(edge.feedback).toMatchObject([
    { trajectoryId: edge.trajectories[0]?.id, kind: "next-corrects" },
  ]);
});

test("trying again is one piece of feedback", async () => {
  const { agent, edge } = openPage({ turns });
  agent.consent.grant();
  await agent.send("book a table for two").finished;
  await agent.retry()?.finished;
  // The control: the same words, typed.
  await agent.send("book a table for two").finished;
  await until(agent, () => edge.feedback.length === 2 && edge.trajectories.length === 3);
  expect(edge.feedback.map(({ kind }) => kind).toSorted()).toEqual(["next-repeats", "retry"]);
  // It links the answer and the one after it.
  const [first, second] = agent.conversation.flatMap((item) =>
    item.kind === "answer" ? [item.trajectoryId] : [],
  );
  const retry = edge.feedback.find(({ kind }) => kind === "retry");
  expect([retry?.trajectoryId, retry?.retryId]).toEqual([first, second]);
  expect(edge.trajectories.map(({ id }) => id)).toContain(second);
});

test("a page that shares corrections sends their text, redacted, and no other message's", async () => {
  const { agent, edge } = openPage({ turns, shareCorrections: true });
  agent.consent.grant();
  await agent.send("book a table for two").finished;
  await agent.send("no, for three, and tell ann@example.com").finished;
  await agent.send("thanks").finished;
  await until(agent, () => edge.feedback.length === 2 && edge.trajectories.length === 3);
  const texts = edge.feedback.map(({ kind, text }) => [kind, text ?? null]);
  expect(Object.fromEntries(texts)).toEqual({
    "next-corrects": "no, for three, and tell [EMAIL_1]",
    "next-thanks": null,
  });
});

test("a page that shares messages sends the text of each, redacted, also where the rules find nothing", async () => {
  const { agent, edge } = openPage({ turns, shareMessages: true });
  agent.consent.grant();
  await agent.send("book a table for two").finished;
  await agent.send("and tell ann@example.com").finished;
  await agent.send("thanks").finished;
  await until(agent, () => edge.feedback.length === 2 && edge.trajectories.length === 3);
  const texts = edge.feedback.map(({ kind, text }) => [kind, text ?? null]);
  expect(Object.fromEntries(texts)).toEqual({
    "next-message": "and tell [EMAIL_1]",
    "next-thanks": "thanks",
  });
});

test("an edited answer is sent redacted, and again after another change; without consent it stays here", async () => {
  const { agent, edge } = openPage({ turns });
  await agent.send("book a table for two").finished;
  expect(await agent.feedback("edit", undefined, "Booked.")).toBe("not-shared");
  agent.consent.grant();
  await agent.send("and write to ann@example.com").finished;
  expect(await agent.feedback("edit", undefined, "Wrote to ann@example.com.")).toBe("queued");
  expect(await agent.feedback("edit", undefined, "Wrote to her.")).toBe("queued");
  await until(agent, () => edge.feedback.length === 2);
  expect(edge.feedback.map(({ kind, text }) => [kind, text])).toEqual([
    ["edit", "Wrote to [EMAIL_1]."],
    ["edit", "Wrote to her."],
  ]);
});

test("an undone action is sent once, beside what the next message says", async () => {
  const { agent, edge } = openPage({ turns });
  agent.consent.grant();
  await agent.send("book a table for two").finished;
  expect(await agent.feedback("undo")).toBe("queued");
  expect(await agent.feedback("undo")).toBe("queued");
  await agent.send("no, for three").finished;
  await until(agent, () => edge.feedback.length === 2);
  expect(edge.feedback.map(({ kind }) => kind).toSorted()).toEqual(["next-corrects", "undo"]);
});

test.each([
  ["edit", undefined],
  ["edit", ""],
  ["edit", "x".repeat(2001)],
  ["thumb-up", "good"],
] as const)("feedback %s with a text that does not fit is refused (%#)", async (kind, text) => {
  const { agent, edge } = openPage({ turns });
  agent.consent.grant();
  await agent.send("book a table for two").finished;
  await expect(agent.feedback(kind, undefined, text)).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
  });
  expect(edge.feedback).toEqual([]);
});
