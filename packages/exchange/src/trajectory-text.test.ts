import { readFileSync } from "node:fs";
import {
  createChatFormat,
  createTokenizer,
  NANO_SPECIAL_TOKENS,
  trainByteLevelBpe,
} from "@waggle/text";
import { canonicalJson, type TrajectoryDetail } from "@waggle/protocol";
import { expect, test } from "vitest";
import { isRefusal } from "./conversation.ts";
import { FIRST, FORMAT, recordOf, TURNS, withEarlierTurn } from "./record.fixture.ts";
import { toSupervisedSample } from "./supervised-sample.ts";
import { readTrajectory, type ReadTrajectory, type TextReader } from "./trajectory-text.ts";

const task = { environment: "shop", seed: 1, split: "train" } as const;
const knows: TextReader = { format: FORMAT, describeTask: () => Promise.resolve(FIRST) };
const knowsNothing: TextReader = { format: FORMAT, describeTask: () => Promise.resolve(null) };

async function read(record: TrajectoryDetail, reader = knows): Promise<ReadTrajectory> {
  const result = await readTrajectory(record, reader);
  if (isRefusal(result)) throw new Error(result.refused);
  return result;
}

test("a task that renders to the recorded tokens supplies system, tools and request", async () => {
  const { conversation } = await read(recordOf({ task }));
  expect(conversation).toMatchObject({ ...FIRST, turns: TURNS, label: true, pair: null });
});

test("rendering the text gives the recorded tokens, and the mask covers the sampled ones", async () => {
  const record = recordOf({ task });
  const { conversation, path } = await read(record);
  const sample = toSupervisedSample(conversation, FORMAT);
  expect(sample.sequence.tokenIds).toEqual(path.flatMap(({ tokenIds }) => [...tokenIds]));
  expect(sample.lossMask).toEqual(
    path.flatMap(({ kind, tokenIds }) => tokenIds.map(() => kind === "sampled")),
  );
});

test("without a task, the prompt is the text between the template's tokens", async () => {
  const { conversation } = await read(recordOf(), knowsNothing);
  expect(conversation.userMessage).toBe(FIRST.userMessage);
  // The template wrote the tools into the system text, so there are no schemas to recover.
  expect(conversation.system).toBe("You help in a shop.\nTools: search(query,maxPrice?)");
  expect(conversation.tools).toEqual([]);
  expect(toSupervisedSample(conversation, FORMAT).sequence.tokenIds).toEqual(
    recordOf().trajectory.segments.flatMap(({ tokenIds }) => [...tokenIds]),
  );
});

test("a task that renders to different tokens is ignored", async () => {
  const other = { ...knows, describeTask: () => Promise.resolve({ ...FIRST, userMessage: "No." }) };
  const { conversation } = await read(recordOf({ task }), other);
  expect(conversation.userMessage).toBe(FIRST.userMessage);
  expect(conversation.tools).toEqual([]);
});

test("later user messages are found with and without tool results", async () => {
  const [first, last] = TURNS;
  const turns = [
    { ...first, userMessage: "Hurry." },
    { ...last, userMessage: "And a cup?" },
    { text: "None.", toolCalls: [], toolResults: [] },
  ] as typeof TURNS;
  const { conversation } = await read(recordOf({ task, turns }));
  expect(conversation.turns).toEqual(turns);
});

/** The record as the edge stores it, with sorted keys. */
const stored = (record: TrajectoryDetail) =>
  JSON.parse(canonicalJson(record)) as unknown as TrajectoryDetail;

test("sorted keys are restored to their order in the tokens", async () => {
  const [first, last] = TURNS as [(typeof TURNS)[0], (typeof TURNS)[0]];
  const turns = [
    {
      ...first,
      toolResults: [
        { callId: "c0", ok: true, value: [{ price: 4.5, name: "</tool_response>", id: null }] },
        { callId: "c1", ok: false, error: { code: "TIMEOUT", message: "late" } },
      ],
    },
    {
      ...first,
      toolResults: [
        { callId: "c0", ok: true, value: {} },
        { callId: "c1", ok: true, value: { z: "}", a: [] } },
      ],
      userMessage: "Hurry.",
    },
    last,
  ] as unknown as typeof TURNS;
  const { conversation, path } = await read(stored(recordOf({ task, turns })));
  expect(conversation.turns).toEqual(turns);
  expect(toSupervisedSample(conversation, FORMAT).sequence.tokenIds).toEqual(
    path.flatMap(({ tokenIds }) => [...tokenIds]),
  );
});

const jinja = (name: string): string =>
  readFileSync(new URL(`../../text/fixtures/${name}.jinja`, import.meta.url), "utf8");
const LLAMA = ["<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"];
const tokenizer = createTokenizer({
  tokenizerJson: trainByteLevelBpe([jinja("qwen3"), jinja("llama3")], {
    vocabularySize: 600,
    specialTokens: [
      ...NANO_SPECIAL_TOKENS,
      ...LLAMA.map((content) => ({ content, special: true })),
    ],
  }),
});

test.each([
  ["qwen3", null],
  ["llama3", "<|begin_of_text|>"],
] as const)("prompts in the template of %s are read", async (name, bos_token) => {
  const format = createChatFormat({
    tokenizer,
    tokenizerConfig: { bos_token },
    chatTemplate: jinja(name),
    templateVariables: { enable_thinking: false },
  });
  // Llama's turns with tool calls contain no other text.
  const turns = [{ ...TURNS[0], text: "", userMessage: "Hurry." }, TURNS[1]] as typeof TURNS;
  const record = stored(recordOf({ task, turns, format }));
  const known = await read(record, { ...knows, format });
  expect(known.conversation).toMatchObject({ ...FIRST, turns });
  expect(toSupervisedSample(known.conversation, format).sequence.tokenIds).toEqual(
    known.path.flatMap(({ tokenIds }) => [...tokenIds]),
  );
  const live = { system: "Be brief.", tools: [], userMessage: "Hello?" };
  const unknown = await read(recordOf({ first: live, turns: TURNS.slice(1), format }), {
    ...knowsNothing,
    format,
  });
  expect(unknown.conversation.userMessage).toBe("Hello?");
  expect(toSupervisedSample(unknown.conversation, format).sequence.tokenIds).toEqual(
    unknown.path.flatMap(({ tokenIds }) => [...tokenIds]),
  );
});

test("an earlier request becomes context, with its results read from the tokens", async () => {
  const [first, last] = TURNS as [(typeof TURNS)[0], (typeof TURNS)[0]];
  const record = recordOf({ task, turns: [{ ...first, userMessage: "And?" }, last] });
  const { conversation, path } = await read(withEarlierTurn(record));
  expect(conversation.turns).toEqual([
    {
      text: first.text,
      toolCalls: first.toolCalls.map((call, i) => ({ ...call, id: `h0-${i}` })),
      toolResults: first.toolResults.map((result, i) => ({ ...result, callId: `h0-${i}` })),
      userMessage: "And?",
      isTarget: false,
    },
    last,
  ]);
  const sample = toSupervisedSample(conversation, FORMAT);
  expect(sample.sequence.tokenIds).toEqual(path.flatMap(({ tokenIds }) => [...tokenIds]));
  expect(sample.sequence.tokenIds.filter((_, t) => sample.lossMask[t])).toEqual(
    path.at(-1)?.tokenIds,
  );
});

test("a turn that could not be parsed keeps its raw text and the error result", async () => {
  const record = recordOf({ task });
  const [turn, ...rest] = record.trajectory.turns;
  const failure = {
    callId: "c0",
    ok: false,
    error: { code: "INVALID_TOOL_CALL", message: "no name" },
  } as const;
  const segments = record.trajectory.segments.map((segment) =>
    segment.id === "t0"
      ? { ...segment, tokenIds: FORMAT.encodeAssistant("<tool_call>{}</tool_call>") }
      : segment,
  );
  const at = segments.findIndex(({ id }) => id === "t0") + 1;
  const [answer] = FORMAT.next({ toolResults: [failure], sampledEnded: true });
  segments[at] = { ...segments[at], ...answer } as (typeof segments)[number];
  const turns = [
    { ...turn, toolCalls: [], toolResults: [failure], parseError: "no name" },
    ...rest,
  ];
  const broken = { ...record, trajectory: { ...record.trajectory, segments, turns } };
  const { conversation } = await read(broken as TrajectoryDetail);
  expect(conversation.turns[0]).toEqual({
    text: "<tool_call>{}</tool_call>",
    toolCalls: [],
    toolResults: [failure],
  });
});

test("a prompt that cannot be separated from the template is refused", async () => {
  const record = recordOf();
  const segments = record.trajectory.segments.map((segment) =>
    segment.kind === "given" && segment.role === "user"
      ? { ...segment, tokenIds: segment.tokenIds.slice(3) }
      : segment,
  );
  const result = await readTrajectory(
    { ...record, trajectory: { ...record.trajectory, segments } },
    knowsNothing,
  );
  expect(result).toEqual({ refused: "prompt-unreadable" });
});

test("without a verifier, the visitor's last thumb is the label", async () => {
  const thumb = (kind: "thumb-up" | "thumb-down") => ({
    id: "7f0c2a46-5a7e-4a57-9a51-1d1f6f1c2a10",
    trajectoryId: "7f0c2a46-5a7e-4a57-9a51-1d1f6f1c2a10",
    kind,
    at: "2026-11-20T10:00:00.000Z",
  });
  const row = { success: null, reward: null };
  const down = recordOf({ row, feedback: [thumb("thumb-up"), thumb("thumb-down")] });
  expect((await read(down)).conversation.label).toBe(false);
  expect((await read(recordOf({ row }))).conversation.label).toBeNull();
});
