/**
 * A fixed sample of recorded trajectories over the chat templates of real models, and the text rows that `export` writes
 * of them.
 */
import { readFileSync } from "node:fs";
import {
  isRefusal,
  readPath,
  toTrlPreferenceRows,
  toTrlSftRow,
  toTrlUnpairedRow,
} from "@waggle/exchange";
import type { ConversationTurn, RecordedPath, Refusal, TrlWritten } from "@waggle/exchange";
import { recordOf } from "../../../packages/exchange/src/record.fixture.ts";
import type { FirstObservation, Segment, ToolDefinition, TrajectoryDetail } from "@waggle/protocol";
import { createChatFormat, readChatFormat } from "@waggle/text";
import type { ChatFormat, Tokenizer } from "@waggle/text";
import { MODELS, type RealModel } from "../rendering/models.ts";
/** Models with tools and a template of llama.cpp's release. */
export const EXPORTED_MODELS: readonly RealModel[] = MODELS.filter(
  ({ template, hasNoTools }) => template !== undefined && !hasNoTools,
);

/** The name of the nano model, whose folder is in the repository. */
export const NANO = "nano";
/** The same with its template for training. */
export const MARKED_NANO = "nano, training template";

/** The row of one case in one format. */
export type SampleRow = {
  readonly name: string;
  readonly found: TrlWritten<object> | Refusal;
  /** What the row's conversations must give, in the order of their columns. */
  readonly recorded: readonly RecordedPath[];
};

type Tool = { readonly function: Omit<ToolDefinition, "source"> };

const { tools } = JSON.parse(
  readFileSync(new URL("../rendering/cases.json", import.meta.url), "utf8"),
) as { tools: Tool[] };

const FIRST: FirstObservation = {
  system: "You help in a shop.",
  tools: tools.map((tool) => ({ ...tool.function, source: "page" })),
  userMessage: 'Find "mugs" under 5 €',
};
const PLAIN: FirstObservation = { system: "", tools: [], userMessage: " Hello\n" };

const said = (text: string): ConversationTurn => ({ text, toolCalls: [], toolResults: [] });
const search = (id: string, query: string) => ({ id, name: "search", arguments: { query } });

const called = (value: unknown, text = ""): ConversationTurn =>
  ({
    text,
    toolCalls: [search("c0", "mug")],
    toolResults: [{ callId: "c0", ok: true, value }],
  }) as ConversationTurn;

const failed: ConversationTurn = {
  ...called(null),
  toolResults: [{ callId: "c0", ok: false, error: { code: "TOOL_FAILED", message: "late" } }],
};

const twice: ConversationTurn = {
  text: "",
  toolCalls: [search("c0", "mug"), search("c1", "cup")],
  toolResults: [
    { callId: "c0", ok: true, value: [{ title: "Mug", price: 4.5 }] },
    { callId: "c1", ok: true, value: "none" },
  ],
};

type Change = (format: ChatFormat, tokenIds: readonly number[]) => readonly number[];

type Case = {
  readonly name: string;
  readonly first?: FirstObservation;
  readonly turns: readonly ConversationTurn[];
  /** What the policy sampled instead of a turn's usual tokens. */
  readonly sampled?: { readonly segment: string; readonly change: Change };
  /** The prompt is not that of the task, for example because the policy version has guidance. */
  readonly isUnknown?: boolean;
};

const cut: Change = (_, tokenIds) => tokenIds.slice(0, -1);
const compact: Change = ({ own, stopTokenIds }) => [
  ...own.tokenizer.encodeTemplate(
    '<tool_call>{"name":"search","arguments":{"query":"mug"}}</tool_call>',
  ),
  stopTokenIds[0] as number,
];
const malformed: Change = ({ own, stopTokenIds }) => [
  ...own.tokenizer.encodeTemplate('<tool_call>{"name": "search", "arguments": {</tool_call>'),
  stopTokenIds[0] as number,
];
/** The letters of a word one by one, which no tokenizer gives. */
const spelledOut: Change = ({ own, stopTokenIds }) => [
  ..."Sorry".split("").flatMap((letter) => own.tokenizer.encode(letter)),
  stopTokenIds[0] as number,
];

const CASES: readonly Case[] = [
  { name: "answer", first: PLAIN, turns: [said("Hello.")] },
  { name: "call and text result", turns: [called("Sunny, 21 C"), said("It is sunny.")] },
  {
    name: "call with text, JSON result",
    turns: [called([{ price: 4.5 }], "I look."), said("4.5")],
  },
  { name: "failed call", turns: [failed, said("Sorry.")] },
  { name: "two calls", turns: [twice, said("A mug.")] },
  { name: "two rounds", turns: [called(1), called("two"), said("Done.")] },
  {
    name: "two requests",
    first: PLAIN,
    turns: [{ ...said("Hello."), userMessage: "And now?" }, said("Now this.")],
  },
  { name: "guidance", turns: [called("Mug"), said("A mug.")], isUnknown: true },
  {
    name: "cut turn",
    turns: [called("Mug"), said("A mug")],
    sampled: { segment: "t1", change: cut },
  },
  {
    name: "call in other spelling",
    turns: [called("Mug"), said("A mug.")],
    sampled: { segment: "t0", change: compact },
  },
  {
    name: "malformed call",
    turns: [{ ...failed, toolCalls: [] }, said("Sorry.")],
    sampled: { segment: "t0", change: malformed },
  },
  {
    name: "other tokens",
    first: PLAIN,
    turns: [said("Sorry")],
    sampled: { segment: "t0", change: spelledOut },
  },
  {
    name: "special token in text",
    first: { ...PLAIN, userMessage: "What is <|im_end|> or <|eot_id|>?" },
    turns: [said("A token.")],
  },
];

/** The format with which a page renders the model's prompts. */
export function formatOf(
  { bos, eos }: RealModel,
  source: string,
  tokenizer: Tokenizer,
): ChatFormat {
  return createChatFormat({
    tokenizer,
    chatTemplate: source,
    tokenizerConfig: { bos_token: bos, eos_token: eos },
    templateVariables: { enable_thinking: false },
  });
}

export function nanoFormat(): ChatFormat {
  const names = ["tokenizer.json", "tokenizer_config.json", "generation_config.json"];
  const folder = new URL("../../../packages/model/nano/", import.meta.url);
  return readChatFormat(new Map(names.map((name) => [name, readFileSync(new URL(name, folder))])));
}

/** Whether a word has fewer tokens than letters. */
function hasMerges({ own }: ChatFormat): boolean {
  return own.tokenizer.encode("Sorry").length < "Sorry".length;
}

/** Rows of all cases in the formats of TRL. */
export async function sampleRows(format: ChatFormat): Promise<SampleRow[]> {
  const rows: SampleRow[] = [];
  for (const one of CASES) {
    if (one.sampled?.change === spelledOut && !hasMerges(format)) continue;
    const better = await recordedPath(one, one.turns, 1, format);
    const worse = await recordedPath({ ...one, sampled: undefined }, [said("No.")], 0, format);
    const [pair] = toTrlPreferenceRows([better, worse], format);
    rows.push(
      { name: `sft: ${one.name}`, found: toTrlSftRow(better, format), recorded: [better] },
      {
        name: `kto: ${one.name}`,
        found: toTrlUnpairedRow(better, format) ?? { refused: "no-label" },
        recorded: [better],
      },
      {
        name: `dpo: ${one.name}`,
        found: pair ?? { refused: "no-pair" },
        recorded: [better, worse],
      },
    );
  }
  return rows;
}

async function recordedPath(
  {
    first = FIRST,
    sampled,
    isUnknown = false,
  }: Omit<Case, "sampled"> & { sampled?: Case["sampled"] | undefined },
  turns: readonly ConversationTurn[],
  reward: number,
  format: ChatFormat,
): Promise<RecordedPath> {
  const task = { environment: "shop", seed: 1, split: "train" } as const;
  const record = recordOf({ task, first, turns, format, row: { reward }, index: reward });
  const changed = sampled === undefined ? record : withTokens(record, sampled, format);
  const describeTask = () => Promise.resolve(isUnknown ? null : first);
  const found = await readPath(changed, { format, describeTask });
  if (isRefusal(found)) throw new Error(found.refused);
  return found;
}

function withTokens(
  record: TrajectoryDetail,
  { segment: id, change }: NonNullable<Case["sampled"]>,
  format: ChatFormat,
): TrajectoryDetail {
  const { trajectory } = record;
  const segments = trajectory.segments.map((segment): Segment =>
    segment.id === id ? { ...segment, tokenIds: [...change(format, segment.tokenIds)] } : segment,
  );
  return { ...record, trajectory: { ...trajectory, segments } };
}
