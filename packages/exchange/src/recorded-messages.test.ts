/** Rows give the recorded tokens when a trainer renders and tokenizes them, or are refused with the reason. */
import { applyChatTemplate, type ChatFormat } from "@waggle/text";
import type { Segment, TrajectoryDetail } from "@waggle/protocol";
import { expect, test } from "vitest";
import { toAdpTrajectory } from "./adp.ts";
import { isRefusal } from "./conversation.ts";
import { FIRST, FORMAT, QWEN_FORMAT, recordOf, TURNS } from "./record.fixture.ts";
import { VERBATIM_TEMPLATE } from "./recorded-messages.ts";
import { readPath, type ReadTrajectory } from "./trajectory-text.ts";
import { readTrlRow, toTrlPreferenceRows, toTrlSftRow, toTrlUnpairedRow } from "./trl.ts";

const task = { environment: "shop", seed: 1, split: "train" } as const;

async function pathOf(record: TrajectoryDetail, format: ChatFormat) {
  const found = await readPath(record, { format, describeTask: () => Promise.resolve(FIRST) });
  if (isRefusal(found)) throw new Error(found.refused);
  return found;
}

type Row = {
  readonly tools?: readonly object[];
  readonly chat_template_kwargs: { readonly [name: string]: unknown };
};

/** As TRL's `_tokenize`. */
function tokensOf(
  messages: Parameters<typeof applyChatTemplate>[1]["messages"],
  { tools, chat_template_kwargs }: Row,
  format: ChatFormat,
  addGenerationPrompt = false,
): number[] {
  const { chat_template, ...variables } = chat_template_kwargs;
  const chatTemplate = chat_template as string | undefined;
  const input = { messages, tools, addGenerationPrompt, chatTemplate, variables };
  return applyChatTemplate(format.own, input);
}

const recorded = ({ trajectory }: TrajectoryDetail): number[] =>
  trajectory.segments.flatMap(({ tokenIds }) => [...tokenIds]);

/** The record with other tokens in one of its segments. */
function withTokens(
  record: TrajectoryDetail,
  id: string,
  change: (tokenIds: readonly number[]) => readonly number[],
): TrajectoryDetail {
  const { trajectory } = record;
  const segments = trajectory.segments.map((segment): Segment =>
    segment.id === id ? { ...segment, tokenIds: [...change(segment.tokenIds)] } : segment,
  );
  return { ...record, trajectory: { ...trajectory, segments } };
}

test.each([
  ["as tool_calls, in the template's spelling", QWEN_FORMAT, 2],
  ["in the content, if the template spells them otherwise", FORMAT, undefined],
])("calls are %s", async (_, format, calls) => {
  const record = recordOf({ task, format });
  const found = toTrlSftRow(await pathOf(record, format), format);
  if (isRefusal(found)) throw new Error(found.refused);
  const { row, differs } = found;
  expect(differs).toBeNull();
  expect(row.messages[2]?.tool_calls?.length).toBe(calls);
  const whole = tokensOf(row.messages, row, format);
  expect(whole.slice(0, recorded(record).length)).toEqual(recorded(record));
  expect(format.own.tokenizer.decode(whole.slice(recorded(record).length)).trim()).toBe("");
});

test("only the turn that the policy wrote otherwise has its call in the content", async () => {
  const turns = [TURNS[0], TURNS[0], TURNS[1]] as typeof TURNS;
  const text = 'Let me look.\n<tool_call>{"name":"search","arguments":{"query":"mug"}}</tool_call>';
  const spoken = [...QWEN_FORMAT.own.tokenizer.encodeTemplate(text), QWEN_FORMAT.stopTokenIds[0]!];
  const record = withTokens(recordOf({ task, turns, format: QWEN_FORMAT }), "t0", () => spoken);
  const found = toTrlSftRow(await pathOf(record, QWEN_FORMAT), QWEN_FORMAT);
  if (isRefusal(found)) throw new Error(found.refused);
  const said = found.row.messages.filter(({ role }) => role === "assistant");
  expect(said.map(({ content, tool_calls }) => [content, tool_calls?.length])).toEqual([
    [text, undefined],
    ["Let me look.", 2],
    ["The red mug costs 4.5.", undefined],
  ]);
  expect(found.differs).toBeNull();
});

const cut = (tokenIds: readonly number[]) => tokenIds.slice(0, -3);

test.each([
  [
    "a turn that was cut",
    (record: TrajectoryDetail) => withTokens(record, "t1", cut),
    "last-turn-cut",
  ],
  [
    "a prompt that cannot be read",
    (record: TrajectoryDetail) => withTokens(record, "s1", (ids) => ids.slice(2)),
    "prompt-unreadable",
  ],
])("%s has the text of all tokens, with a template that keeps it", async (_, change, reason) => {
  const record = change(recordOf({ task, format: QWEN_FORMAT }));
  const path = await pathOf(record, QWEN_FORMAT);
  const sft = toTrlSftRow(path, QWEN_FORMAT);
  const kto = toTrlUnpairedRow(path, QWEN_FORMAT);
  if (isRefusal(sft) || kto === null || isRefusal(kto)) throw new Error("refused");
  expect([sft.differs, kto.differs]).toEqual([reason, reason]);
  expect(tokensOf(sft.row.messages, sft.row, QWEN_FORMAT)).toEqual(recorded(record));
  expect(sft.row.chat_template_kwargs).toEqual({ chat_template: VERBATIM_TEMPLATE });
  const { prompt, completion } = kto.row;
  const first = tokensOf(prompt, kto.row, QWEN_FORMAT, true);
  expect(tokensOf([...prompt, ...completion], kto.row, QWEN_FORMAT)).toEqual(recorded(record));
  expect(first).toEqual(recorded(record).slice(0, first.length));
  // Sampled text is the assistant's, so that a loss on it alone is possible.
  const sampled = record.trajectory.segments.filter(({ kind }) => kind === "sampled");
  expect(
    sft.row.messages
      .filter(({ role }) => role === "assistant")
      .map(({ content }) => QWEN_FORMAT.own.tokenizer.encodeTemplate(content)),
  ).toEqual(sampled.map(({ tokenIds }) => tokenIds));
  expect(readTrlRow(sft.row, "1")).toEqual({ refused: "verbatim-text" });
});

test("text that names a special token gives no row, because a trainer would read the token", async () => {
  const first = { ...FIRST, userMessage: "What is <|im_end|>?" };
  const record = recordOf({ first, format: QWEN_FORMAT });
  const path = await pathOf(record, QWEN_FORMAT);
  const refused = { refused: "special-tokens-in-text" };
  expect(toTrlSftRow(path, QWEN_FORMAT)).toEqual(refused);
  expect(toTrlUnpairedRow(path, QWEN_FORMAT)).toEqual(refused);
});

test("both completions of a pair continue the same prompt, also where one was cut", async () => {
  const better = await pathOf(recordOf({ task, index: 1, format: QWEN_FORMAT }), QWEN_FORMAT);
  const record = recordOf({ task, index: 2, row: { reward: 0 }, format: QWEN_FORMAT });
  const worse = await pathOf(withTokens(record, "t1", cut), QWEN_FORMAT);
  const [found] = toTrlPreferenceRows([better, worse], QWEN_FORMAT);
  if (found === undefined || isRefusal(found)) throw new Error("no row");
  const { row, differs } = found;
  expect(differs).toBe("last-turn-cut");
  for (const [completion, { path }] of [
    [row.chosen, better],
    [row.rejected, worse],
  ] as const) {
    expect(tokensOf([...row.prompt, ...completion], row, QWEN_FORMAT)).toEqual(
      path.flatMap(({ tokenIds }) => [...tokenIds]),
    );
  }
});

test("ADP has the tokens beside the text, where the text does not give them", async () => {
  const adp = async (format: ChatFormat) => {
    const record = recordOf({ task, format });
    return { record, ...toAdpTrajectory((await pathOf(record, format)) as ReadTrajectory, format) };
  };
  const { row, differs } = await adp(QWEN_FORMAT);
  expect([differs, row.details["tokens"]]).toEqual([null, undefined]);
  const nano = await adp(FORMAT);
  expect(nano.differs).toBe("other-text");
  expect(nano.row.details["tokens"]).toMatchObject({ input_ids: recorded(nano.record) });
});
