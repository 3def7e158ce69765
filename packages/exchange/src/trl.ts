/**
 * TRL's conversational datasets: writes rows for SFT, DPO and KTO, and reads them. Rewards are converted to
 * what those losses need: imitation of successes, pairs within a group, or a label.
 *
 * Source: TRL `docs/source/dataset_formats.md` and the collators of `trl/trainer/{sft,dpo,kto}_trainer.py`
 * at f2cd577 (1.10.0.dev0). Differs from our own losses: TRL trains every token of a DPO or KTO completion,
 * including tool results; `firstTurnOnly` gives completions without them.
 */
import { isObject } from "@waggle/protocol";
import type { ReadTrajectory } from "./trajectory-text.ts";
import type { Conversation, ConversationTurn, Refusal } from "./conversation.ts";
import { buildConversation, type Message } from "./conversation-builder.ts";
import {
  type ChatMessage,
  chatTools,
  completionMessages,
  promptMessages,
  readMessages,
  readTools,
  turnMessages,
} from "./chat-messages.ts";
import { isText } from "./json-text.ts";

/** A row for `SFTTrainer`. */
export type TrlSftRow = {
  readonly id: string;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly object[];
};

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
  readonly tools: readonly object[];
};

/** A row for `KTOTrainer`. */
export type TrlUnpairedRow = {
  readonly id: string;
  readonly prompt: readonly ChatMessage[];
  readonly completion: readonly ChatMessage[];
  readonly label: boolean;
  readonly tools: readonly object[];
};

/** How completions are written. */
export type TrlCompletionOptions = {
  /** Ends a completion after its first turn, so that it contains only sampled text. Default false. */
  readonly firstTurnOnly?: boolean | undefined;
};

/** Converts a conversation to a row for `SFTTrainer`. */
export function toTrlSftRow(conversation: Conversation): TrlSftRow {
  return {
    id: conversation.id,
    messages: [...promptMessages(conversation), ...completionMessages(conversation.turns)],
    tools: chatTools(conversation.tools),
  };
}

/** Writes the recorded tokens; nothing is rendered again. */
export function toTrlTokenRow({ conversation, path }: ReadTrajectory): TrlTokenRow {
  return {
    id: conversation.id,
    input_ids: path.flatMap(({ tokenIds }) => [...tokenIds]),
    labels: path.flatMap(({ kind, tokenIds }) =>
      kind === "sampled" ? [...tokenIds] : tokenIds.map(() => -100),
    ),
  };
}

/** Converts a labeled conversation; `null` without a label. */
export function toTrlUnpairedRow(
  conversation: Conversation,
  options: TrlCompletionOptions = {},
): TrlUnpairedRow | null {
  if (conversation.label === null) return null;
  const from = targetsFrom(conversation);
  return {
    id: conversation.id,
    prompt: [...promptMessages(conversation), ...contextMessages(conversation, from)],
    completion: completionMessages(limited(conversation.turns.slice(from), options)),
    label: conversation.label,
    tools: chatTools(conversation.tools),
  };
}

/**
 * Preference pairs of one group: the best with the worst, the second best with the second worst, and so on
 * while rewards differ. Each trajectory is in at most one pair. The prompt contains all turns that both share.
 *
 * @param group - trajectories of one task. Those without a reward are ignored.
 */
export function toTrlPreferenceRows(
  group: readonly ReadTrajectory[],
  options: TrlCompletionOptions = {},
): TrlPreferenceRow[] {
  const ranked = group
    .filter(({ record }) => record.row.reward !== null)
    .toSorted((a, b) => rewardOf(b) - rewardOf(a));
  const rows: TrlPreferenceRow[] = [];
  for (let i = 0; i < Math.floor(ranked.length / 2); i += 1) {
    const [better, worse] = [ranked[i] as ReadTrajectory, ranked.at(-1 - i) as ReadTrajectory];
    if (rewardOf(better) <= rewardOf(worse)) break;
    const row = toPair(better.conversation, worse.conversation, options);
    if (row !== null) rows.push(row);
  }
  return rows;
}

function rewardOf({ record }: ReadTrajectory): number {
  return record.row.reward ?? 0;
}

function toPair(
  better: Conversation,
  worse: Conversation,
  options: TrlCompletionOptions,
): TrlPreferenceRow | null {
  const prompt = promptMessages(better);
  if (!isSame(prompt, promptMessages(worse))) return null;
  let shared = targetsFrom(better);
  const common = contextMessages(better, shared);
  if (!isSame(common, contextMessages(worse, targetsFrom(worse)))) return null;
  while (shared + 1 < Math.min(better.turns.length, worse.turns.length)) {
    const [a, b] = [better, worse].map(({ turns }) =>
      turnMessages(turns[shared] as ConversationTurn, false),
    ) as [ChatMessage[], ChatMessage[]];
    if (!isSame(a, b)) break;
    common.push(...a);
    shared += 1;
  }
  const rest = ({ turns }: Conversation): ChatMessage[] =>
    completionMessages(limited(turns.slice(shared), options));
  const [chosen, rejected] = [rest(better), rest(worse)];
  if (isSame(chosen, rejected)) return null;
  return {
    id: `${better.id}/${worse.id}`,
    prompt: [...prompt, ...common],
    chosen,
    rejected,
    tools: chatTools(better.tools),
  };
}

/** Index of the first turn that is not context. */
function targetsFrom({ turns }: Conversation): number {
  return Math.max(
    0,
    turns.findIndex(({ isTarget }) => isTarget !== false),
  );
}

function contextMessages({ turns }: Conversation, until: number): ChatMessage[] {
  return turns.slice(0, until).flatMap((turn) => turnMessages(turn, false));
}

function limited(
  turns: readonly ConversationTurn[],
  { firstTurnOnly = false }: TrlCompletionOptions,
): readonly ConversationTurn[] {
  return firstTurnOnly ? turns.slice(0, 1) : turns;
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/**
 * The conversations of one row: one, or two with the same `pair`. Reads TRL's language modeling,
 * prompt-completion, preference and unpaired preference types, as messages or as strings, and OpenAI's
 * `messages` and preference rows, which have the same content under other field names.
 */
export function readTrlRow(row: unknown, fallbackId: string): Conversation[] | Refusal {
  if (!isObject(row)) return { refused: "row-is-not-an-object" };
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
