/**
 * TRL's conversational datasets: writes rows for SFT, DPO and KTO, and reads them. Rewards are converted to
 * what those losses need: imitation of successes, pairs within a group, or a label.
 *
 * Source: TRL `docs/source/dataset_formats.md` and the collators of `trl/trainer/{sft,dpo,kto}_trainer.py`
 * at f2cd577 (1.10.0.dev0). Differs from our own losses: TRL trains every token of a DPO or KTO completion,
 * including tool results; `firstTurnOnly` gives completions without them.
 */
import { isObject } from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";
import type { Conversation, Refusal } from "./conversation.ts";
import { buildConversation, type Message } from "./conversation-builder.ts";
import { type ChatMessage, readMessages, readTools } from "./chat-messages.ts";
import { isText } from "./json-text.ts";
import { type RowSettings, toRecordedMessages, VERBATIM_TEMPLATE } from "./recorded-messages.ts";
import {
  allTurns,
  isSameTokens,
  type RecordedPath,
  type RowTurns,
  segmentsBefore,
  segmentsOf,
  tokensOf,
} from "./recorded-path.ts";
import type { Difference } from "./rendered-difference.ts";

/** A row for `SFTTrainer`. */
export type TrlSftRow = {
  readonly id: string;
  readonly messages: readonly ChatMessage[];
} & RowSettings;

/** A tokenized row for `SFTTrainer`. `labels` is −100 for context tokens. */
export type TrlTokenRow = {
  readonly id: string;
  readonly input_ids: readonly number[];
  readonly labels: readonly number[];
};

/** A row for `DPOTrainer`. */
export type TrlPreferenceRow = {
  readonly id: string;
  readonly prompt: readonly ChatMessage[];
  readonly chosen: readonly ChatMessage[];
  readonly rejected: readonly ChatMessage[];
} & RowSettings;

/** A row for `KTOTrainer`. */
export type TrlUnpairedRow = {
  readonly id: string;
  readonly prompt: readonly ChatMessage[];
  readonly completion: readonly ChatMessage[];
  readonly label: boolean;
} & RowSettings;

/** How completions are written. */
export type TrlCompletionOptions = {
  /** Ends a completion after its first turn, so that it contains only sampled text. Default false. */
  readonly firstTurnOnly?: boolean | undefined;
};

/** A row, and why the model's own template does not give its tokens; `null` if it does. */
export type TrlWritten<T> = { readonly row: T; readonly differs: Difference | null };

/** Converts a trajectory to a row for `SFTTrainer`. */
export function toTrlSftRow(
  recorded: RecordedPath,
  format: ChatFormat,
): TrlWritten<TrlSftRow> | Refusal {
  const found = toRecordedMessages([allTurns(recorded)], format, false);
  if ("refused" in found) return found;
  const { prompt, completions, settings, differs } = found;
  const messages = [...prompt, ...completions.flat()];
  return { row: { id: recorded.record.trajectory.id, messages, ...settings }, differs };
}

/** Writes the recorded tokens; nothing is rendered again. */
export function toTrlTokenRow({
  record,
  path,
}: Pick<RecordedPath, "record" | "path">): TrlTokenRow {
  return {
    id: record.trajectory.id,
    input_ids: tokensOf(path),
    labels: path.flatMap(({ kind, tokenIds }) =>
      kind === "sampled" ? [...tokenIds] : tokenIds.map(() => -100),
    ),
  };
}

/** Converts a labeled trajectory; `null` without a label. */
export function toTrlUnpairedRow(
  recorded: RecordedPath,
  format: ChatFormat,
  options: TrlCompletionOptions = {},
): TrlWritten<TrlUnpairedRow> | Refusal | null {
  const { record, label } = recorded;
  if (label === null) return null;
  const found = toRecordedMessages([limited(allTurns(recorded), options)], format, true);
  if ("refused" in found) return found;
  const { prompt, completions, settings, differs } = found;
  const row = { id: record.trajectory.id, prompt, completion: completions.flat(), label };
  return { row: { ...row, ...settings }, differs };
}

/**
 * Preference pairs of one group: the best with the worst, the second best with the second worst, and so on
 * while rewards differ. Each trajectory is in at most one pair. The prompt contains all turns that both share.
 *
 * @param group - trajectories of one task. Those without a reward are ignored.
 */
export function toTrlPreferenceRows(
  group: readonly RecordedPath[],
  format: ChatFormat,
  options: TrlCompletionOptions = {},
): (TrlWritten<TrlPreferenceRow> | Refusal)[] {
  const ranked = group
    .filter(({ record }) => record.row.reward !== null)
    .toSorted((a, b) => rewardOf(b) - rewardOf(a));
  const rows: (TrlWritten<TrlPreferenceRow> | Refusal)[] = [];
  for (let i = 0; i < Math.floor(ranked.length / 2); i += 1) {
    const [better, worse] = [ranked[i] as RecordedPath, ranked.at(-1 - i) as RecordedPath];
    if (rewardOf(better) <= rewardOf(worse)) break;
    const row = toPair(better, worse, format, options);
    if (row !== null) rows.push(row);
  }
  return rows;
}

function rewardOf({ record }: RecordedPath): number {
  return record.row.reward ?? 0;
}

function toPair(
  better: RecordedPath,
  worse: RecordedPath,
  format: ChatFormat,
  options: TrlCompletionOptions,
): TrlWritten<TrlPreferenceRow> | Refusal | null {
  const pair = fromSharedTurn([allTurns(better), allTurns(worse)]);
  if (pair === null) return null;
  const rows = pair.map((turns) => limited(turns, options));
  const [a, b] = rows.map((turns) => tokensOf(segmentsOf(turns).completion));
  if (isSameTokens(a ?? [], b ?? [])) return null;
  const found = toRecordedMessages(rows, format, true);
  if ("refused" in found) return found;
  const { prompt, completions, settings, differs } = found;
  const [chosen = [], rejected = []] = completions;
  const id = `${better.record.trajectory.id}/${worse.record.trajectory.id}`;
  return { row: { id, prompt, chosen, rejected, ...settings }, differs };
}

/** Both rows, with the turns that they share in the prompt; `null` if their prompts differ. */
function fromSharedTurn(pair: [RowTurns, RowTurns]): [RowTurns, RowTurns] | null {
  const [a, b] = pair;
  const isShared = (from: number): boolean =>
    isSameTokens(
      ...(pair.map(({ recorded }) => tokensOf(segmentsBefore(recorded, from))) as [
        number[],
        number[],
      ]),
    );
  let { from } = a;
  if (from !== b.from || !isShared(from)) return null;
  while (from + 1 < Math.min(a.until, b.until) && isShared(from + 1)) from += 1;
  return [
    { ...a, from },
    { ...b, from },
  ];
}

function limited(turns: RowTurns, { firstTurnOnly = false }: TrlCompletionOptions): RowTurns {
  return firstTurnOnly ? { ...turns, until: turns.from + 1 } : turns;
}

/**
 * The conversations of one row: one, or two with the same `pair`. Reads TRL's language modeling,
 * prompt-completion, preference and unpaired preference types, as messages or as strings, and OpenAI's
 * `messages` and preference rows, which have the same content under other field names.
 */
export function readTrlRow(row: unknown, fallbackId: string): Conversation[] | Refusal {
  if (!isObject(row)) return { refused: "row-is-not-an-object" };
  const settings = row["chat_template_kwargs"];
  if (isObject(settings) && settings["chat_template"] === VERBATIM_TEMPLATE) {
    return { refused: "verbatim-text" };
  }
  const id = isText(row["id"]) && row["id"] !== "" ? row["id"] : fallbackId;
  const input = isObject(row["input"]) ? row["input"] : null;
  const tools = readTools(row["tools"] ?? input?.["tools"] ?? row["functions"]);
  if ("refused" in tools) return tools;
  const prompt = asMessages(row["prompt"] ?? input?.["messages"], "user");
  const build = (
    parts: readonly unknown[],
    frame: { id: string; label: boolean | null; pair: string | null },
  ): Conversation | Refusal => {
    const messages: Message[] = [];
    for (const part of parts) {
      const read = part === undefined ? [] : readMessages(part);
      if ("refused" in read) return read;
      // Assistant messages of a prompt are context.
      const isContext = part === prompt && part !== undefined;
      messages.push(
        ...read.map((one) =>
          isContext && one.role === "assistant" ? { ...one, isTarget: false } : one,
        ),
      );
    }
    return buildConversation(messages, { ...frame, tools });
  };
  const chosen = asMessages(row["chosen"] ?? row["preferred_output"], "assistant");
  const rejected = asMessages(row["rejected"] ?? row["non_preferred_output"], "assistant");
  if (chosen !== undefined && rejected !== undefined) {
    const both = [
      build([prompt, chosen], { id: `${id}#chosen`, label: true, pair: id }),
      build([prompt, rejected], { id: `${id}#rejected`, label: false, pair: id }),
    ];
    const refused = both.find((one) => "refused" in one);
    return refused !== undefined ? (refused as Refusal) : (both as Conversation[]);
  }
  const completion = asMessages(row["completion"], "assistant");
  const label = typeof row["label"] === "boolean" ? row["label"] : null;
  const parts =
    completion === undefined ? [row["messages"] ?? row["conversations"]] : [prompt, completion];
  if (parts.length === 1 && parts[0] === undefined) return { refused: reasonOf(row) };
  const one = build(parts, { id, label, pair: null });
  return "refused" in one ? one : [one];
}

/** Converts a string of TRL's standard format to messages of the conversational format. */
function asMessages(value: unknown, role: "user" | "assistant"): unknown {
  return isText(value) ? [{ role, content: value }] : value;
}

function reasonOf(row: { readonly [key: string]: unknown }): string {
  if ("input_ids" in row) return "tokens-without-text";
  return "text" in row ? "text-without-messages" : "no-messages";
}
