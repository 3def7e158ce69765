import { expect, test } from "vitest";
import { type Conversation, isRefusal, type Refusal } from "./conversation.ts";
import { FIRST, FORMAT, QWEN_FORMAT, recordOf, TURNS, withEarlierTurn } from "./record.fixture.ts";
import type { RecordedPath } from "./recorded-path.ts";
import { toSupervisedSample } from "./supervised-sample.ts";
import { readTrajectory, type ReadTrajectory } from "./trajectory-text.ts";
import {
  readTrlRow,
  toTrlPreferenceRows,
  toTrlSftRow,
  toTrlTokenRow,
  toTrlUnpairedRow,
  type TrlWritten,
} from "./trl.ts";

const task = { environment: "shop", seed: 1, split: "train" } as const;
const reader = { format: QWEN_FORMAT, describeTask: () => Promise.resolve(FIRST) };
const said = (text: string) => ({ text, toolCalls: [], toolResults: [] });

async function read(options: Parameters<typeof recordOf>[0] = {}): Promise<ReadTrajectory> {
  const { format = QWEN_FORMAT } = options;
  const record = recordOf({ task, ...options, format });
  const result = await readTrajectory(record, { ...reader, format });
  if (isRefusal(result)) throw new Error(result.refused);
  return result;
}

/** A row that gives the recorded tokens. */
function rowOf<T>(found: TrlWritten<T> | Refusal | null | undefined): T {
  if (!found || isRefusal(found)) throw new Error(found?.refused ?? "no row");
  return found.row;
}

const pairsOf = (group: readonly RecordedPath[], options = {}) =>
  toTrlPreferenceRows(group, QWEN_FORMAT, options).map(rowOf);

/** The row as a file contains it: plain JSON. */
const written = (row: unknown): unknown => JSON.parse(JSON.stringify(row));

function readBack(row: unknown): Conversation[] {
  const result = readTrlRow(written(row), "line-1");
  if (isRefusal(result)) throw new Error(result.refused);
  return result;
}

test("an SFT row has messages in TRL's format and survives a round trip", async () => {
  const source = await read();
  const { conversation } = source;
  const row = rowOf(toTrlSftRow(source, QWEN_FORMAT));
  expect(row.messages.map(({ role }) => role)).toEqual([
    "system",
    "user",
    "assistant",
    "tool",
    "tool",
    "assistant",
  ]);
  expect(row.messages[2]).toEqual({
    role: "assistant",
    content: "Let me look.",
    tool_calls: [
      {
        id: "c0",
        type: "function",
        function: { name: "search", arguments: { query: "mug", maxPrice: 5 } },
      },
      { id: "c1", type: "function", function: { name: "search", arguments: { query: "cup" } } },
    ],
  });
  expect(row.messages[3]).toEqual({
    role: "tool",
    name: "search",
    tool_call_id: "c0",
    content: '[{"name":"red mug","price":4.5}]',
  });
  expect(readBack(row)).toEqual([{ ...conversation, label: null }]);
});

test("a token row has labels only for sampled tokens", async () => {
  const source = await read();
  const { path } = source;
  const row = toTrlTokenRow(source);
  expect(row.input_ids).toEqual(path.flatMap(({ tokenIds }) => [...tokenIds]));
  expect(row.labels.filter((label) => label !== -100)).toEqual(
    path.flatMap(({ kind, tokenIds }) => (kind === "sampled" ? [...tokenIds] : [])),
  );
});

test("pairs combine best with worst, use each trajectory once, and skip equal rewards", async () => {
  const group = await Promise.all(
    [0.2, 1, 0.5, 0.5, 0].map((reward, index) =>
      read({ index, row: { reward }, turns: [...TURNS.slice(0, 1), said(`reward ${reward}`)] }),
    ),
  );
  const rows = pairsOf(group);
  expect(
    rows.map(({ chosen, rejected }) => [chosen.at(-1)?.content, rejected.at(-1)?.content]),
  ).toEqual([
    ["reward 1", "reward 0"],
    ["reward 0.5", "reward 0.2"],
  ]);
  // Shared turns belong to the prompt, so that only the difference is judged.
  expect(rows[0]?.prompt.map(({ role }) => role)).toEqual([
    "system",
    "user",
    "assistant",
    "tool",
    "tool",
  ]);
  expect(rows[0]?.chosen).toHaveLength(1);
  expect(pairsOf(group.slice(2, 4))).toEqual([]);
});

test("a preference row is read as two conversations with the same pair id", async () => {
  const better = await read({ index: 1 });
  const worse = await read({ index: 2, row: { reward: 0 }, turns: [said("I do not know.")] });
  const [row] = pairsOf([worse, better]);
  expect(readBack(row)).toEqual([
    { ...better.conversation, id: `${row?.id}#chosen`, label: true, pair: row?.id },
    { ...worse.conversation, id: `${row?.id}#rejected`, label: false, pair: row?.id },
  ]);
});

test("firstTurnOnly leaves no tool results in a completion", async () => {
  const better = await read({ index: 1 });
  const worse = await read({ index: 2, row: { reward: 0 }, turns: [said("I do not know.")] });
  const [row] = pairsOf([better, worse], { firstTurnOnly: true });
  expect(row?.chosen.map(({ role }) => role)).toEqual(["assistant"]);
});

test("an unpaired row has the verifier's label, and there is no row without a label", async () => {
  const source = await read({ row: { success: false } });
  const row = rowOf(toTrlUnpairedRow(source, QWEN_FORMAT));
  expect(row.label).toBe(false);
  expect(readBack(row)).toEqual([source.conversation]);
  expect(toTrlUnpairedRow({ ...source, label: null }, QWEN_FORMAT)).toBeNull();
});

test("an earlier request is part of the prompt, which is not trained", async () => {
  const record = withEarlierTurn(recordOf({ task, format: QWEN_FORMAT }));
  const source = await readTrajectory(record, reader);
  if (isRefusal(source)) throw new Error(source.refused);
  const row = rowOf(toTrlUnpairedRow(source, QWEN_FORMAT));
  expect(row.prompt.map(({ role }) => role)).toEqual([
    "system",
    "user",
    "assistant",
    "tool",
    "tool",
  ]);
  expect(row.completion).toEqual([{ role: "assistant", content: "The red mug costs 4.5." }]);
  const [back] = readBack(row);
  expect(back?.turns.map(({ isTarget }) => isTarget)).toEqual([false, undefined]);
  expect(toSupervisedSample(back as Conversation, QWEN_FORMAT)).toEqual(
    toSupervisedSample(source.conversation, QWEN_FORMAT),
  );
});

test("reads OpenAI's rows with string arguments, legacy calls, text parts, weights and preferences", () => {
  const user = { role: "user", content: [{ type: "text", text: "Two mugs?" }] };
  const call = { name: "search", arguments: '{"query":"mug"}' };
  const [chat] = readBack({
    messages: [
      { role: "developer", content: "Be brief." },
      user,
      { role: "assistant", content: null, tool_calls: [{ id: "call_9", function: call }] },
      { role: "tool", tool_call_id: "call_9", content: "not json" },
      { role: "assistant", content: "Which?", weight: 0 },
      { role: "user", content: "Red." },
      { role: "assistant", content: null, function_call: call },
    ],
  });
  expect(chat).toMatchObject({
    id: "line-1",
    system: "Be brief.",
    userMessage: "Two mugs?",
    turns: [
      {
        toolCalls: [{ id: "c0", name: "search", arguments: { query: "mug" } }],
        toolResults: [{ callId: "c0", ok: true, value: "not json" }],
      },
      { text: "Which?", userMessage: "Red.", isTarget: false },
      { toolCalls: [{ id: "c1" }] },
    ],
  });
  const mask = toSupervisedSample(chat as Conversation, FORMAT);
  const target = mask.sequence.tokenIds.filter((_, t) => mask.lossMask[t]);
  expect(target).not.toContain(FORMAT.encodeAssistant("W")[0]);
  expect(
    readBack({
      input: { messages: [user] },
      preferred_output: [{ role: "assistant", content: "Yes." }],
      non_preferred_output: [{ role: "assistant", content: "No." }],
    }).map(({ label }) => label),
  ).toEqual([true, false]);
  expect(readBack({ prompt: "Sky?", completion: " Blue.", label: true })[0]).toMatchObject({
    userMessage: "Sky?",
    turns: [{ text: " Blue." }],
    label: true,
  });
});

test.each([
  ["row-is-not-an-object", 7],
  ["tokens-without-text", { input_ids: [1, 2] }],
  ["text-without-messages", { text: "The sky is blue." }],
  ["no-user-message", { messages: [{ role: "assistant", content: "Hi." }] }],
  ["no-assistant-turn", { messages: [{ role: "user", content: "Hi." }] }],
  ["unknown-role", { messages: [{ role: "critic", content: "Hm." }] }],
  [
    "content-is-not-text",
    { messages: [{ role: "user", content: [{ type: "image_url", image_url: "x" }] }] },
  ],
  [
    "unreadable-tool-call",
    {
      messages: [
        { role: "user", content: "Hi." },
        { role: "assistant", tool_calls: [{ function: { name: "f", arguments: "{" } }] },
      ],
    },
  ],
  [
    "result-without-call",
    {
      messages: [
        { role: "user", content: "Hi." },
        { role: "tool", content: "1" },
      ],
    },
  ],
  [
    "call-without-result",
    {
      messages: [
        { role: "user", content: "Hi." },
        { role: "assistant", tool_calls: [{ function: { name: "f" } }] },
        { role: "user", content: "Well?" },
      ],
    },
  ],
  [
    "late-system-message",
    {
      messages: [
        { role: "user", content: "Hi." },
        { role: "system", content: "Be rude." },
        { role: "assistant", content: "No." },
      ],
    },
  ],
])("a row is refused with the reason %s", (refused, row) => {
  expect(readTrlRow(row, "1")).toEqual({ refused });
});
