/**
 * Messages that give the recorded tokens when a trainer renders and tokenizes them. Three ways are tried:
 *
 * 1. calls as `tool_calls`, except where the policy wrote a call otherwise than the template does;
 * 2. the text of every turn as its content, with the markers of calls;
 * 3. the text of all segments, for a template that adds nothing. TRL accepts a template per row.
 *
 * A row that none of them reproduces is refused.
 *
 * Source: TRL `_tokenize` in `trl/data_utils.py` and `_prepare_dataset` of `trl/trainer/{sft,dpo,kto}_trainer.py` at
 * f2cd577 (1.10.0.dev0).
 */
import { type ChatFormat, FIXED_DATE } from "@waggle/text";
import { type ChatMessage, chatTools, promptMessages, turnMessages } from "./chat-messages.ts";
import type { Conversation, ConversationTurn, Refusal } from "./conversation.ts";
import { differenceOf, type Difference } from "./rendered-difference.ts";
import {
  allTurns,
  isTurn,
  type RecordedPath,
  type RowTurns,
  segmentsOf,
  tokensOf,
} from "./recorded-path.ts";

/**
 * Writes messages as they are. `{% generation %}` marks what was sampled, for TRL's `assistant_only_loss`.
 */
export const VERBATIM_TEMPLATE: string = [
  "{% for message in messages %}",
  "{% if message.role == 'assistant' %}{% generation %}{{ message.content }}{% endgeneration %}",
  "{% else %}{{ message.content }}{% endif %}",
  "{% endfor %}",
].join("");

/** Columns beside the messages. */
export type RowSettings = {
  readonly tools?: readonly object[];
  /** Arguments of `apply_chat_template` for this row. */
  readonly chat_template_kwargs: { readonly [name: string]: unknown };
};

/** Messages that give the recorded tokens. */
export type RecordedMessages = {
  readonly prompt: readonly ChatMessage[];
  /** One for each row. */
  readonly completions: readonly (readonly ChatMessage[])[];
  readonly settings: RowSettings;
  /** Why the model's own template does not give the tokens; `null` if it does. */
  readonly differs: Difference | null;
};

type Written = {
  readonly prompt: readonly ChatMessage[];
  readonly completion: readonly ChatMessage[];
  readonly settings: RowSettings;
};

/**
 * @param rows - rows with the same prompt, for example of a preference pair.
 * @param isSplit - whether the trainer tokenizes the prompt alone too.
 */
export function toRecordedMessages(
  rows: readonly RowTurns[],
  format: ChatFormat,
  isSplit: boolean,
): RecordedMessages | Refusal {
  let differs: Difference | null = null;
  for (const write of WAYS) {
    const written = rows.map((row) => write(row, format));
    const found = written.map((one, i) =>
      one === null
        ? "prompt-unreadable"
        : differenceOf(one, recordedIn(rows[i] as RowTurns), format.own, isSplit),
    );
    const [first] = written;
    const hasOnePrompt = written.every(
      (one) => JSON.stringify(one?.prompt) === JSON.stringify(first?.prompt),
    );
    const difference = found.find((one) => one !== null) ?? (hasOnePrompt ? null : "other-text");
    if (difference === null && first) {
      const completions = written.map((one) => one?.completion ?? []);
      // Calls that are only in the content are still the template's own text.
      const isOwn = write !== verbatim;
      return { ...first, completions, differs: isOwn ? null : differs };
    }
    // What keeps a row from being verbatim explains more than what the model's template does.
    differs = difference;
  }
  return { refused: differs ?? "other-text" };
}

/** Why messages with calls as `tool_calls` do not give the recorded tokens; `null` if they do. */
export function differenceWithCalls(recorded: RecordedPath, format: ChatFormat): Difference | null {
  const row = allTurns(recorded);
  const written = inOwnTemplate(row, format, () => false);
  if (written === null) return "prompt-unreadable";
  return differenceOf(written, recordedIn(row), format.own, false);
}

/** The tokens that a row must give. */
function recordedIn(row: RowTurns) {
  const { prompt, completion } = segmentsOf(row);
  return { prompt: tokensOf(prompt), whole: tokensOf([...prompt, ...completion]) };
}

const WAYS = [
  (row: RowTurns, format: ChatFormat) => inOwnTemplate(row, format, isWrittenOtherwise),
  (row: RowTurns, format: ChatFormat) => inOwnTemplate(row, format, () => true),
  verbatim,
];

/** Whether the policy wrote this turn otherwise than the template writes its text and calls. */
function isWrittenOtherwise(
  { text, toolCalls }: ConversationTurn,
  tokenIds: readonly number[],
  format: ChatFormat,
): boolean {
  return String(format.encodeAssistant(text, toolCalls)) !== String(tokenIds);
}

function inOwnTemplate(
  { recorded, from, until }: RowTurns,
  format: ChatFormat,
  isInContent: typeof isWrittenOtherwise,
): Written | null {
  const { conversation, path } = recorded;
  if (conversation === null) return null;
  const said = path.filter(isTurn);
  const turns = conversation.turns.slice(0, until).map((turn, i): ConversationTurn => {
    const tokenIds = said[i]?.tokenIds ?? [];
    if (!isInContent(turn, tokenIds, format)) return turn;
    return { ...turn, text: format.decodeAssistant(tokenIds), toolCalls: [] };
  });
  const messages = turns.map((turn, i) => turnMessages(turn, i === until - 1, format));
  return {
    prompt: [...promptMessages(conversation), ...messages.slice(0, from).flat()],
    completion: messages.slice(from).flat(),
    settings: templateSettings(conversation, format),
  };
}

/** The settings with which a trainer renders our prompts. */
function templateSettings(
  { tools }: Pick<Conversation, "tools">,
  { own }: ChatFormat,
): RowSettings {
  const variables = Object.entries(own.variables).filter(([name]) => own.source.includes(name));
  const hasDate = own.source.includes("strftime_now") && own.source.includes("date_string");
  return {
    // An empty list is not the same as none in Llama's templates.
    ...(tools.length > 0 && { tools: chatTools(tools) }),
    chat_template_kwargs: {
      ...Object.fromEntries(variables),
      ...(hasDate && { date_string: FIXED_DATE }),
    },
  };
}

/** Given tokens are the user's, and sampled tokens the assistant's. */
function verbatim(row: RowTurns, { own }: ChatFormat): Written {
  const { prompt, completion } = segmentsOf(row);
  const messages = (segments: typeof prompt): ChatMessage[] =>
    joined(segments).map(({ isSampled, tokenIds }) => ({
      role: isSampled ? "assistant" : "user",
      content: own.tokenizer.decode(tokenIds),
    }));
  return {
    prompt: messages(prompt),
    completion: messages(completion),
    settings: { chat_template_kwargs: { chat_template: VERBATIM_TEMPLATE } },
  };
}

/** Neighboring given segments as one. */
function joined(segments: ReturnType<typeof segmentsOf>["prompt"]) {
  const parts: { isSampled: boolean; tokenIds: number[] }[] = [];
  for (const { kind, tokenIds } of segments) {
    const [last, isSampled] = [parts.at(-1), kind === "sampled"];
    if (last === undefined || last.isSampled || isSampled) {
      parts.push({ isSampled, tokenIds: [...tokenIds] });
    } else last.tokenIds.push(...tokenIds);
  }
  return parts;
}
