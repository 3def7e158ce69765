/** What the model reads of a conversation from before the page was loaded again. */
import "fake-indexeddb/auto";
import { createMemoryStorage } from "@waggle/collector";
import type { PageTool } from "@waggle/agent/tools";
import { expect, test } from "vitest";
import { openPage, say, until } from "./agent.fixture.ts";
import type { Page, PageOptions } from "./agent.fixture.ts";

const find: PageTool = {
  name: "find",
  description: "Find products.",
  parameters: { type: "object", properties: { query: { type: "string" } } },
  run: ({ query }) => [`red ${String(query)}`],
};

/** Tokens of the first context of a page. */
const readBy = ({ policy }: Page): readonly number[] => policy.contexts[0]?.tokenIds ?? [];
const textOf = (page: Page): string =>
  new TextDecoder().decode(Uint8Array.from(readBy(page).filter((id) => id < 256)));

/** A tab in which pages are opened one after another. */
function openTab(options: PageOptions = {}) {
  const tabStorage = createMemoryStorage();
  const storage = createMemoryStorage();
  return (turns: PageOptions["turns"], more: PageOptions = {}): Page =>
    openPage({ tools: [find], tabStorage, storage, ...options, ...more, ...(turns && { turns }) });
}

const CALL = say("Let me look.", { name: "find", arguments: { query: "mug" } });

test("after a reload the model reads the same tokens as without one, all of them given", async () => {
  const requests = ["a mug for ada@example.com", "a hat"] as const;
  const turns = [CALL, say("A red mug for [EMAIL_1]."), say("No hat.")];
  const live = openTab()(turns);
  for (const request of requests) await live.agent.send(request).finished;

  const open = openTab();
  const first = open(turns.slice(0, 2));
  first.agent.consent.grant();
  await first.agent.send(requests[0]).finished;
  await until(first.agent, async () => (await first.agent.outbox()).sent === 1);
  await first.agent.dispose();

  const second = open(turns.slice(2));
  await second.agent.send(requests[1]).finished;
  expect(textOf(second)).toBe(textOf(live));
  expect(readBy(second)).toEqual(readBy(live));
  expect(textOf(second)).not.toContain("ada@");
  expect(second.agent.conversation).toHaveLength(4);
  // The record has exactly these tokens, and only the new answer is sampled.
  await until(second.agent, async () => (await second.agent.outbox()).sent === 1);
  const [recorded] = second.edge.trajectories;
  expect(recorded?.segments.flatMap(({ tokenIds }) => tokenIds)).toEqual(readBy(second));
  const sampled = recorded?.segments.filter(({ kind }) => kind === "sampled");
  expect(sampled?.map(({ tokenIds }) => tokenIds)).toEqual([say("No hat.")]);
  await second.agent.dispose();
});

test("several calls of one turn are one turn again", async () => {
  const both = say(
    "",
    { name: "find", arguments: { query: "mug" } },
    { name: "find", arguments: { query: "hat" } },
  );
  const turns = [both, say("Here."), say("No.")];
  const live = openTab()(turns);
  for (const request of ["a mug and a hat", "more"]) await live.agent.send(request).finished;

  const open = openTab();
  const first = open(turns.slice(0, 2));
  await first.agent.send("a mug and a hat").finished;
  await first.agent.dispose();
  const second = open(turns.slice(2));
  await second.agent.send("more").finished;
  expect(readBy(second)).toEqual(readBy(live));
  await second.agent.dispose();
});

test("a long prompt leaves the room of earlier answers as it is", async () => {
  const open = openTab({ system: "You help in a shop. ".repeat(80) });
  const first = open([say("Old.")]);
  await first.agent.send("before").finished;
  await first.agent.dispose();
  const second = open([say("New.")]);
  await second.agent.send("after").finished;
  expect(readBy(second).length).toBeGreaterThan(1024);
  expect(textOf(second)).toMatch(/before.*Old\..*after/s);
  await second.agent.dispose();
});

test("text from before the consent is not part of a record, and is read again without consent", async () => {
  const open = openTab();
  const first = open([say("Secret.")]);
  await first.agent.send("before").finished;
  await first.agent.dispose();

  const second = open([say("Two.")]);
  await second.agent.send("still none").finished;
  expect(textOf(second)).toContain("Secret.");
  await second.agent.dispose();

  const third = open([say("Three.")]);
  third.agent.consent.grant();
  await third.agent.send("after").finished;
  expect(textOf(third)).not.toMatch(/Secret|still none/);
  await third.agent.dispose();

  const fourth = open([say("Four.")]);
  await fourth.agent.send("again").finished;
  expect(textOf(fourth)).toContain("Three.");
  expect(textOf(fourth)).not.toMatch(/Secret|still none/);
  await fourth.agent.dispose();
});

test("only complete answers are read again, the newest that have room", async () => {
  const open = openTab();
  const broken = "<tool_call>{";
  const long = "word ".repeat(120);
  const first = open([say(`Old. ${long}`), say(broken), say(broken), say("New."), CALL]);
  await first.agent.send(`oldest ${long}`).finished;
  await first.agent.send("unreadable").finished;
  await first.agent.send("newest").finished;
  // The script has no turn after the call.
  await first.agent.send("fails").finished.catch(() => undefined);
  await first.agent.dispose();

  const second = open([say("Next.")]);
  await second.agent.send(`next ${long}`).finished;
  expect(textOf(second)).toMatch(/newest.*New\.[^]*next/s);
  expect(textOf(second)).not.toMatch(/oldest|unreadable|fails/);
  await second.agent.dispose();
});

test.each([
  ["a new conversation", {}, (page: Page) => page.agent.clear()],
  ["a model that reads each request alone", { rememberFrom: 1_000_000 }, () => undefined],
  ["a conversation of another release", {}, () => undefined, '"result":{"ok":false}'],
])("nothing is read again after %s", async (_, more, act, instead = "") => {
  const tabStorage = createMemoryStorage();
  const open = openTab({ tabStorage });
  const first = open([CALL, say("Old.")]);
  await first.agent.send("before").finished;
  await first.agent.dispose();
  const key = "waggle.conversation.site";
  const kept = tabStorage.getItem(key) ?? "";
  if (instead !== "") tabStorage.setItem(key, kept.replace(/"result":\{[^}]*\}/, instead));

  const second = open([say("New.")], more);
  act(second);
  await second.agent.send("after").finished;
  expect(textOf(second)).toContain("after");
  expect(textOf(second)).not.toMatch(/before|Old/);
  await second.agent.dispose();
});

test("an exchange whose call holds a secret is not read again where answers are recorded", async () => {
  const login: PageTool = {
    name: "login",
    description: "Logs in.",
    parameters: { type: "object", properties: { word: { type: "string", format: "password" } } },
    run: () => "done",
  };
  const turns = [
    say("", { name: "login", arguments: { word: "sesame" } }),
    say("Welcome."),
    say("Bye."),
  ];
  const open = openTab({ tools: [login] });
  const first = open(turns.slice(0, 2));
  first.agent.consent.grant();
  await first.agent.send("log me in with sesame").finished;
  await first.agent.dispose();
  expect(await first.agent.outbox()).toMatchObject({ waiting: 0, sent: 0 });
  const second = open(turns.slice(2));
  await second.agent.send("thanks").finished;
  expect(textOf(second)).toContain("thanks");
  expect(textOf(second)).not.toContain("sesame");
  await second.agent.dispose();
});
