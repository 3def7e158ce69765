import { expect, test } from "vitest";
import { ADP_EXAMPLE, adpErrors } from "./adp-schema.fixture.ts";
import { readAdpTrajectory, toAdpTrajectory } from "./adp.ts";
import { isRefusal } from "./conversation.ts";
import { FIRST, QWEN_FORMAT, recordOf, TURNS } from "./record.fixture.ts";
import { readTrajectory, type ReadTrajectory } from "./trajectory-text.ts";

const task = { environment: "shop", seed: 1, split: "train" } as const;

async function read(): Promise<ReadTrajectory> {
  const result = await readTrajectory(
    recordOf({ task, row: { reward: 0.5 }, format: QWEN_FORMAT }),
    {
      format: QWEN_FORMAT,
      describeTask: () => Promise.resolve(FIRST),
    },
  );
  if (isRefusal(result)) throw new Error(result.refused);
  return result;
}

test("content follows schema 1.5.0, with the reward on the last action", async () => {
  const { content, schema_version } = toAdpTrajectory(await read(), QWEN_FORMAT).row;
  expect(schema_version).toBe("1.5.0");
  expect(content).toEqual([
    { class_: "text_observation", content: FIRST.userMessage, source: "user" },
    {
      class_: "api_action",
      function: "search",
      kwargs: { query: "mug", maxPrice: 5 },
      description: "Let me look.",
      tool_call_id: "call_000001",
    },
    {
      class_: "api_action",
      function: "search",
      kwargs: { query: "cup" },
      tool_call_id: "call_000002",
    },
    {
      class_: "text_observation",
      content: '[{"name":"red mug","price":4.5}]',
      source: "environment",
      tool_call_id: "call_000001",
    },
    {
      class_: "text_observation",
      content: "[]",
      source: "environment",
      tool_call_id: "call_000002",
    },
    { class_: "message_action", content: "The red mug costs 4.5.", reward: 0.5 },
  ]);
});

test("upstream's models accept an export, also one that ends with calls", async () => {
  const source = await read();
  expect(adpErrors(toAdpTrajectory(source, QWEN_FORMAT).row)).toEqual([]);
  const [called] = source.conversation.turns;
  const ended = { ...source.conversation, turns: [{ ...called, toolResults: [] }] };
  const { content, ...rest } = toAdpTrajectory(
    { ...source, conversation: ended as never },
    QWEN_FORMAT,
  ).row;
  expect(adpErrors({ ...rest, content })).toEqual([]);
  expect(content.at(-1)).not.toHaveProperty("tool_call_id");
});

test("reads an example of the newest schema, with results in another order than their calls", () => {
  expect(adpErrors(ADP_EXAMPLE)).toEqual([]);
  expect(readAdpTrajectory(ADP_EXAMPLE, "1")).toMatchObject({
    id: "example",
    userMessage: "How many files are here?",
    turns: [
      { text: "I count them.", toolCalls: [{ name: "execute_code" }], toolResults: [{ value: 3 }] },
      {
        toolCalls: [{ arguments: { a: 1 } }, { arguments: { a: 2 } }],
        toolResults: [{ value: "one" }, { value: "two" }],
      },
      { text: "Three." },
    ],
  });
});

test("a JSON observation is read as its JSON", () => {
  const observation = { class_: "json_observation", content: { n: 1 }, source: "environment" };
  const content = [
    { class_: "text_observation", content: "Hi", source: "user" },
    { class_: "api_action", function: "f", kwargs: {} },
    observation,
  ];
  expect(readAdpTrajectory({ content }, "1")).toMatchObject({
    turns: [{ toolResults: [{ value: { n: 1 } }] }],
  });
});

test("turns, calls, results, system and tools survive a round trip", async () => {
  const source = await read();
  const file: unknown = JSON.parse(JSON.stringify(toAdpTrajectory(source, QWEN_FORMAT).row));
  const { label: _, ...conversation } = source.conversation;
  expect(readAdpTrajectory(file, "1")).toEqual({ ...conversation, label: null });
  expect(conversation.turns).toEqual(TURNS);
});

test("reads third-party trajectories with older sources, code, web pages and call ids", () => {
  const conversation = readAdpTrajectory(
    {
      id: "theirs",
      content: [
        { class_: "text_observation", content: "How many files?", source: "user_msg" },
        { class_: "code_action", language: "bash", content: "ls | wc -l", description: "Count." },
        { class_: "text_observation", content: "3", source: "environment" },
        { class_: "api_action", function: "goto", kwargs: { url: "a" }, tool_call_id: "x" },
        { class_: "web_observation", html: "<p>", axtree: "root", url: "a", tool_call_id: "x" },
        { class_: "message_action", content: "Three." },
        { class_: "text_observation", content: "Thanks.", source: "user" },
      ],
    },
    "1",
  );
  expect(conversation).toMatchObject({
    id: "theirs",
    userMessage: "How many files?",
    turns: [
      {
        text: "Count.",
        toolCalls: [{ name: "execute_code", arguments: { language: "bash", code: "ls | wc -l" } }],
        toolResults: [{ value: 3 }],
      },
      { toolCalls: [{ name: "goto" }], toolResults: [{ value: "root" }] },
      { text: "Three.", userMessage: "Thanks." },
    ],
  });
});

test.each([
  ["no-content", { id: "1" }],
  ["image-observation", { content: [{ class_: "image_observation", content: "a.png" }] }],
  ["unknown-class", { content: [{ class_: "dance" }] }],
  ["unreadable-action", { content: [{ class_: "api_action", function: "f", kwargs: "x" }] }],
])("a trajectory is refused with the reason %s", (refused, value) => {
  expect(readAdpTrajectory(value, "1")).toEqual({ refused });
});
