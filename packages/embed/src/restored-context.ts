/**
 * Renders a conversation from before the page was loaded again, so that the model reads it once more. Its texts are
 * redacted again, and answers that a page did not finish are left out. It is loaded when there is such a conversation.
 */
import type { ReadConversation, RestoreStart } from "@waggle/agent";
import { canonicalJson } from "@waggle/protocol";
import type { Consent, Redactor, ToolDefinition, ToolResult } from "@waggle/protocol";
import type { ChatFormat, ChatNext, RenderedSegment } from "@waggle/text";
import type { AnswerPart, ConversationItem, ToolActivity } from "./agent.ts";

/** More tokens than this, besides the prompt and the tools, would delay the first answer after a reload. */
const MAX_TOKENS = 1024;

/** A turn with calls, and the text before them. */
type CallingTurn = { readonly text: string; readonly activities: readonly ToolActivity[] };

/** A request with the turns of its answer. */
type Exchange = {
  readonly request: string;
  readonly turns: readonly CallingTurn[];
  readonly answer: string;
};

/** What rendering needs besides the conversation. */
export type RestoringParts = {
  readonly chatFormat: ChatFormat;
  readonly redactor: Redactor;
  /** The sentence in place of answers that cannot be read. The model did not write it. */
  readonly unreadable: string;
};

/** The newest exchanges that have room; `null` if there are none. */
export function restoredContext(
  items: readonly ConversationItem[],
  parts: RestoringParts,
  { first, consent, hasRoom }: RestoreStart,
): ReadConversation | null {
  const isRecorded = consent.scopes.length > 0;
  const exchanges = exchangesOf(items, consent, parts.unreadable)
    // The request before such a call may hold the secret, too.
    .filter((one) => !isRecorded || !holdsSecret(one, first.tools, parts.redactor))
    .map((one) => redacted(one, parts.redactor));
  const prompt = sizeOf(parts.chatFormat.start({ ...first, userMessage: "" }));
  for (let from = 0; from < exchanges.length; from++) {
    const read = render(exchanges.slice(from), first, parts.chatFormat);
    if (sizeOf(read.segments) - prompt <= MAX_TOKENS && hasRoom(read)) return read;
  }
  return null;
}

function sizeOf(segments: readonly RenderedSegment[]): number {
  return segments.reduce((sum, { tokenIds }) => sum + tokenIds.length, 0);
}

/** Complete exchanges. A request that is recorded must not contain text from before its consent. */
function exchangesOf(
  items: readonly ConversationItem[],
  consent: Consent,
  unreadable: string,
): readonly Exchange[] {
  const isRecorded = consent.scopes.length > 0;
  return items.flatMap((item, index) => {
    const next = items[index + 1];
    if (item.kind !== "request" || next?.kind !== "answer") return [];
    if (next.stopReason !== "completed") return [];
    if (isRecorded && next.consentedAt !== consent.grantedAt) return [];
    const { turns, answer } = turnsOf(next.parts);
    const activities = turns.flatMap((turn) => turn.activities);
    const isComplete = activities.every(({ result }) => result !== null);
    if (!isComplete || answer === "" || answer === unreadable) return [];
    return [{ request: item.text, turns, answer }];
  });
}

/** The turns of an answer. The text of the last one is the answer. */
function turnsOf(parts: readonly AnswerPart[]): Omit<Exchange, "request"> {
  const turns: (CallingTurn & { readonly activities: ToolActivity[] })[] = [];
  let text = "";
  let last: number | undefined;
  for (const part of parts) {
    if (part.kind === "text") ({ text } = part);
    else if (part.turn !== undefined && part.turn === last) {
      turns.at(-1)?.activities.push(part.activity);
    } else {
      turns.push({ text, activities: [part.activity] });
      text = "";
      last = part.turn;
    }
  }
  return { turns, answer: text };
}

/** Whether the arguments of a call have a value in a field for secrets. */
const holdsSecret = (
  { turns }: Exchange,
  tools: readonly ToolDefinition[],
  redactor: Redactor,
): boolean =>
  turns
    .flatMap(({ activities }) => activities)
    .some(({ name, arguments: given }) => {
      const schema = tools.find((tool) => tool.name === name)?.parameters;
      return canonicalJson(redactor.redactArguments(given, schema)) !== canonicalJson(given);
    });

function redacted({ request, turns, answer }: Exchange, redactor: Redactor): Exchange {
  return {
    request: redactor.redact(request),
    turns: turns.map(({ text, activities }) => ({
      text: redactor.redact(text),
      activities: activities.map((activity) => ({
        ...activity,
        arguments: redactor.redactJson(activity.arguments) as ToolActivity["arguments"],
        result: redactor.redactJson(activity.result) as ToolResult,
      })),
    })),
    answer: redactor.redact(answer),
  };
}

function render(
  exchanges: readonly Exchange[],
  first: RestoreStart["first"],
  chatFormat: ChatFormat,
): ReadConversation {
  const segments: RenderedSegment[] = [];
  const pending: ChatNext = { sampledEnded: true };
  const addTurn = (...turn: Parameters<ChatFormat["encodeAssistant"]>): void => {
    segments.push({ role: "assistant", tokenIds: chatFormat.encodeAssistant(...turn) });
  };
  for (const { request: userMessage, turns, answer } of exchanges) {
    segments.push(
      ...(segments.length === 0
        ? chatFormat.start({ ...first, userMessage })
        : chatFormat.next({ ...pending, userMessage })),
    );
    for (const { text, activities } of turns) {
      addTurn(
        text,
        activities.map((activity) => ({ name: activity.name, arguments: activity.arguments })),
      );
      const toolResults = activities.flatMap(({ result }) => result ?? []);
      segments.push(...chatFormat.next({ ...pending, toolResults }));
    }
    addTurn(answer);
  }
  return { segments, pending };
}
