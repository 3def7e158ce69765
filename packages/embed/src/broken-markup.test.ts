/**
 * No piece of a broken call reaches a person: calls of every format, cut at every character, by a limit or by the
 * policy itself, as a page's events, conversation and AI SDK chunks show them.
 */
import "fake-indexeddb/auto";
import type { ToolCallFormat } from "@waggle/protocol";
import { createScriptedChat } from "@waggle/runtime/testing";
import { sourceOf } from "@waggle/runtime/chat";
import { ByteTokenizer } from "@waggle/testing";
import { createChatFormat, nanoTokenizerConfig } from "@waggle/text";
import { expect, test } from "vitest";
import { isLong } from "../../../test/fixtures/long.ts";
import type { Agent } from "./agent.ts";
import { DEFAULT_AGENT_TEXTS } from "./agent-texts.ts";
import { openPage, until } from "./agent.fixture.ts";
import type { PageOptions } from "./agent.fixture.ts";
import { AnswerChunks } from "./ai-sdk/answer-chunks.ts";

const tokenizer = new ByteTokenizer();
const LEAD = "Let me look. ";
const SENTENCE = DEFAULT_AGENT_TEXTS.unreadable;

/**
 * A call as a model writes it, and what of it is an ordinary word. The last two are in the syntax of another model.
 */
const CALLS: readonly (readonly [string, ToolCallFormat, string, string])[] = [
  [
    "hermes",
    "hermes",
    '<tool_call>{"name": "search", "arguments": {"query": "mug"}}</tool_call>',
    "",
  ],
  [
    "qwen-xml",
    "qwen-xml",
    "<tool_call>\n<function=search>\n<parameter=query>\nmug\n</parameter>\n</function>\n</tool_call>",
    "",
  ],
  ["llama", "llama", '<|python_tag|>{"name": "search", "parameters": {"query": "mug"}}', ""],
  ["mistral", "mistral", '[TOOL_CALLS][{"name": "search", "arguments": {"query": "mug"}}]', ""],
  ["lfm", "lfm", '<|tool_call_start|>[search(query="mug")]<|tool_call_end|>', ""],
  [
    "gemma",
    "gemma",
    "<start_function_call>call:search{query:<escape>mug<escape>}<end_function_call>",
    "",
  ],
  ["Gemma's syntax in another format", "hermes", "call:search{query:<escape>mug<escape>}", "call:"],
  ["Mistral's syntax in another format", "hermes", '[TOOL_CALLS]search[ARGS]{"query": "mug"}', ""],
];

/** A page whose policy says the turns, one per request. */
function open(format: ToolCallFormat, turns: PageOptions["turns"], maxTokensPerTurn = 1000) {
  const chatFormat = createChatFormat({
    tokenizer,
    tokenizerConfig: nanoTokenizerConfig(4096),
    toolCallFormat: format,
  });
  const ran: unknown[] = [];
  const page = openPage({
    turns: turns ?? [],
    chatFormat,
    limits: { maxTurns: 1, timeoutMs: 0, maxTokensPerTurn },
    tools: [
      {
        name: "search",
        description: "Find products.",
        parameters: { type: "object", properties: { query: { type: "string" } } },
        run: (args) => void ran.push(args),
      },
    ],
  });
  return { ...page, ran, stop: chatFormat.stopTokenIds[0] as number };
}

/** Everything that a person can read while one request runs and after it. */
async function shownBy(agent: Agent): Promise<{ all: readonly string[]; last: string }> {
  agent.clear();
  const all: string[] = [];
  const keep = () => {
    const answer = agent.conversation.at(-1);
    if (answer?.kind !== "answer") return;
    all.push(...answer.parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])));
  };
  const leave = agent.onChange(keep);
  const run = agent.send("A mug, please");
  const chunks = new AnswerChunks();
  const [deltas, streamed]: [string[], string[]] = [[], []];
  for await (const event of run) {
    if (event.type === "text-delta") deltas.push(event.text);
    if (event.type === "trajectory-end") all.push(event.text);
    for (const chunk of chunks.take(event)) {
      if (chunk.type === "text-delta") streamed.push(chunk.delta);
    }
  }
  keep();
  leave();
  expect(streamed).toEqual(deltas);
  // The sentence is its own piece, after what was shown before.
  if (deltas.at(-1) === SENTENCE) deltas.pop();
  const { text } = await run.finished;
  return { all: [...all, deltas.join(""), text], last: text };
}

const leaksOf = (texts: readonly string[], readable: string) =>
  texts.filter((text) => !readable.startsWith(text) && text !== SENTENCE);

for (const lead of ["", LEAD]) {
  // `npm test` has the calls after a sentence.
  test.runIf(isLong() || lead !== "").each(CALLS)(
    `%s, cut at every character, after "${lead}"`,
    async (_, format, call, word) => {
      const written = lead + call;
      const places = Array.from({ length: written.length }, (__, at) => at + 1);
      const said = places.map((at) => tokenizer.encodeTemplate(written.slice(0, at)));
      const { stop } = open(format, []);
      const { agent, ran } = open(
        format,
        said.flatMap((tokens) => [tokens, [...tokens, stop]]),
      );
      const leaks: unknown[] = [];
      let sentences = 0;
      for (const at of places) {
        for (const ending of ["cut", "ended"]) {
          const before = ran.length;
          const { all, last } = await shownBy(agent);
          const found = leaksOf(all, lead + word);
          if (found.length > 0) leaks.push([ending, written.slice(0, at), found]);
          if (last === SENTENCE) sentences++;
          // Without a sentence of the policy, there is the plain one, unless the call was complete.
          const isWord = word.startsWith(written.slice(0, at));
          if (lead !== "" || isWord || ran.length > before) continue;
          expect([at, ending, last]).toContain(SENTENCE);
        }
      }
      expect(leaks).toEqual([]);
      expect(sentences).toBeGreaterThan(call.length / 2);
      await agent.dispose();
    },
  );
}

test("the record keeps the text of a turn that a limit cut", async () => {
  const half = `${LEAD}<tool_call>{"name": "sea`;
  const tokens = tokenizer.encodeTemplate(half);
  const { agent, edge } = open("hermes", [tokens], tokens.length);
  agent.consent.grant();
  expect(await agent.send("A mug").finished).toEqual({ text: SENTENCE, stopReason: "max-tokens" });
  await until(agent, () => edge.trajectories.length === 1);
  const sampled = edge.trajectories[0]?.segments.filter(({ kind }) => kind === "sampled") ?? [];
  expect(sampled.map(({ tokenIds }) => tokenizer.decode(tokenIds))).toEqual([half]);
  await agent.dispose();
});

test("an answer that the visitor stopped within a call keeps its readable text only", async () => {
  const turn = tokenizer.encodeTemplate(`${LEAD}<tool_call>{"name": "search"`);
  const stopping = new AbortController();
  const { agent } = openPage({
    turns: [turn],
    beforeToken: (index) => {
      if (index === turn.length - 3) stopping.abort();
    },
  });
  const { text, stopReason } = await agent.send("A mug", { signal: stopping.signal }).finished;
  expect({ text, stopReason }).toEqual({ text: LEAD.trim(), stopReason: "aborted" });
  await agent.dispose();
});

test("JSON of a chat, cut at every character, is never shown", async () => {
  const { agent } = openPage();
  await agent.ready;
  for (const whole of [
    '{"tool": "search", "arguments": {"query": "mug"}}',
    '{"say": "Let me look."}',
  ]) {
    for (let at = 1; at < whole.length; at++) {
      const chat = createScriptedChat([whole.slice(0, at)]);
      await agent.setModel({ kind: "chat", name: "cut", source: sourceOf(chat) });
      expect([at, await shownBy(agent)]).toMatchObject([at, { last: SENTENCE }]);
    }
  }
  await agent.dispose();
});
