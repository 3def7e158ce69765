import "fake-indexeddb/auto";
import { ByteTokenizer } from "@waggle/testing";
import { expect, test } from "vitest";
import { fault } from "../../../test/fixtures/fault.ts";
import type { Agent, AgentEvent, AgentRun } from "./agent.ts";
import { openPage, say, until } from "./agent.fixture.ts";
import { DEFAULT_AGENT_TEXTS } from "./agent-texts.ts";

const CALL = "<tool_call>";

/** All text that was shown to a visitor, or to a page that renders the agent itself. */
async function shownBy(agent: Agent, run: AgentRun): Promise<{ all: string; streamed: string }> {
  const events: AgentEvent[] = [];
  for await (const event of run) events.push(event);
  const { text } = await run.finished;
  const streamed = events.map((event) => (event.type === "text-delta" ? event.text : "")).join("");
  return { all: JSON.stringify([events, agent.conversation.slice(1), text]), streamed };
}

const HALF_TURNS: readonly (readonly [string, string])[] = [
  ["a call that is cut in the middle", `${CALL}{"name": "search", "arguments": {"query": "mug"`],
  ["a call that is not JSON", `${CALL}search mug</tool_call>`],
  ["an end tag alone", '"query": "mug"}}</tool_call>'],
  ["half of a tag", "<tool_cal"],
  ["JSON without tags", '{"name": "search", "arguments": {"query": "mug"}}'],
  ["a special token in letters, then a call", `<|im_start|>${CALL}{`],
];

fault(
  "an answer without readable text becomes one plain sentence",
  { item: "5", before: "6 of 6 unreadable answers showed tags or JSON to the visitor" },
  async () => {
    let leaks = 0;
    let sentences = 0;
    for (const [, turn] of HALF_TURNS) {
      const { agent } = openPage({ turns: [say(turn), say(turn)] });
      const { all, streamed } = await shownBy(agent, agent.send("A mug, please"));
      if (/tool_cal|im_start|arguments|query|INVALID/.test(all)) leaks++;
      if (streamed === DEFAULT_AGENT_TEXTS.unreadable) sentences++;
      expect(agent.conversation.at(-1)).toMatchObject({
        parts: [{ kind: "text", text: DEFAULT_AGENT_TEXTS.unreadable }],
      });
    }
    expect({ leaks, sentences }).toEqual({ leaks: 0, sentences: HALF_TURNS.length });
    return { after: `${leaks} of ${HALF_TURNS.length} leak, ${sentences} plain sentences` };
  },
);

test("the record keeps the sampled text", async () => {
  const turn = HALF_TURNS[0]?.[1] ?? "";
  const { agent, edge } = openPage({ turns: [say(turn), say(turn)] });
  agent.consent.grant();
  await agent.send("A mug, please").finished;
  await until(agent, () => edge.trajectories.length === 1);
  const sampled = edge.trajectories[0]?.segments.filter(({ kind }) => kind === "sampled") ?? [];
  expect(sampled.map(({ tokenIds }) => new ByteTokenizer().decode(tokenIds))).toEqual([
    expect.stringContaining(turn),
    expect.stringContaining(turn),
  ]);
  await agent.dispose();
});

test("a site can translate the sentence", async () => {
  const { agent } = openPage({
    turns: [say("<tool_cal")],
    texts: { unreadable: "Das habe ich nicht verstanden." },
  });
  expect((await agent.send("Eine Tasse").finished).text).toBe("Das habe ich nicht verstanden.");
});

test("an unreadable call that is corrected leaves only the answer", async () => {
  const { agent } = openPage({ turns: [say(`${CALL}{"name`), say("Here it is.")] });
  const { all, streamed } = await shownBy(agent, agent.send("A mug, please"));
  expect(streamed).toBe("Here it is.");
  expect(all).not.toMatch(/tool_call|INVALID/);
  expect(agent.conversation.at(-1)).toMatchObject({
    parts: [{ kind: "text", text: "Here it is." }],
  });
});

test("the text of one turn stays when the next turn adds more", async () => {
  const { agent } = openPage({
    turns: [say(`Let me look. ${CALL}{"name`), say("Here it is.")],
  });
  const { streamed } = await shownBy(agent, agent.send("A mug, please"));
  expect(agent.conversation.at(-1)).toMatchObject({
    parts: [
      { kind: "text", text: "Let me look." },
      { kind: "text", text: "Here it is." },
    ],
  });
  expect(streamed).toBe("Let me look.Here it is.");
});

test("an answer that ends unreadable keeps no text of its unreadable turns", async () => {
  const half = say(`Added 4 Moon ${CALL}search mug</tool_call>`);
  const { agent } = openPage({ turns: [half, half] });
  const { text, stopReason } = await agent.send("A mug, please").finished;
  expect({ text, stopReason }).toEqual({
    text: DEFAULT_AGENT_TEXTS.unreadable,
    stopReason: "parse-error",
  });
  expect(agent.conversation.at(-1)).toMatchObject({
    parts: [{ kind: "text", text: DEFAULT_AGENT_TEXTS.unreadable }],
  });
});

test("text deltas carry the visitor's whole value and join to the final text", async () => {
  const { agent } = openPage({ turns: [say("[EMAIL_1] has 2 orders.")] });
  const run = agent.send("How many orders has ada@example.com?");
  const { streamed } = await shownBy(agent, run);
  expect(streamed).toBe("ada@example.com has 2 orders.");
  expect((await run.finished).text).toBe(streamed);
});
