/**
 * Renders a conversation from before the page was loaded again, so that the model reads it once more. Its texts are
 * redacted again, and answers that a page did not finish are left out. It is loaded when there is such a conversation.
 */
import type { ConversationOptions } from "@waggle/agent";
import type { Consent, Redactor, ToolResult } from "@waggle/protocol";
import type { ChatFormat, ChatNext, RenderedSegment } from "@waggle/text";
import type { ConversationItem, ToolActivity } from "./agent.ts";

/** More tokens than this would delay the first answer after a reload. */
const MAX_TOKENS = 1024;

type Restore = NonNullable<ConversationOptions["restore"]>;
type Read = NonNullable<Awaited<ReturnType<Restore>>>;

/** A request with the texts and calls of its answer. */
type Exchange = {
  readonly request: string;
  readonly calls: readonly { readonly text: string; readonly activity: ToolActivity }[];
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
  { first, consent, hasRoom }: Parameters<Restore>[0],
): Read | null {
  const exchanges = exchangesOf(items, consent, parts.unreadable).map((one) =>
    redacted(one, parts.redactor),
  );
  for (let from = 0; from < exchanges.length; from++) {
    const read = render(exchanges.slice(from), first, parts.chatFormat);
    const tokens = read.segments.reduce((sum, { tokenIds }) => sum + tokenIds.length, 0);
    if (tokens <= MAX_TOKENS && hasRoom(read)) return read;
  }
  return null;
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
    let text = "";
    const calls: { text: string; activity: ToolActivity }[] = [];
    for (const part of next.parts) {
      if (part.kind === "text") text = part.text;
      else {
        calls.push({ text, activity: part.activity });
        text = "";
      }
    }
    const isComplete = calls.every(({ activity }) => activity.result !== null);
    if (!isComplete || text === "" || text === unreadable) return [];
    return [{ request: item.text, calls, answer: text }];
  });
}

function redacted({ request, calls, answer }: Exchange, redactor: Redactor): Exchange {
  return {
    request: redactor.redact(request),
    calls: calls.map(({ text, activity }) => ({
      text: redactor.redact(text),
      activity: {
        ...activity,
        arguments: redactor.redactJson(activity.arguments) as ToolActivity["arguments"],
        result: redactor.redactJson(activity.result) as ToolResult,
      },
    })),
    answer: redactor.redact(answer),
  };
}

function render(
  exchanges: readonly Exchange[],
  first: Parameters<Restore>[0]["first"],
  chatFormat: ChatFormat,
): Read {
  const segments: RenderedSegment[] = [];
  const pending: ChatNext = { sampledEnded: true };
  const addTurn = (...turn: Parameters<ChatFormat["encodeAssistant"]>): void => {
    segments.push({ role: "assistant", tokenIds: chatFormat.encodeAssistant(...turn) });
  };
  for (const { request: userMessage, calls, answer } of exchanges) {
    segments.push(
      ...(segments.length === 0
        ? chatFormat.start({ ...first, userMessage })
        : chatFormat.next({ ...pending, userMessage })),
    );
    for (const { text, activity } of calls) {
      addTurn(text, [{ name: activity.name, arguments: activity.arguments }]);
      const toolResults = activity.result === null ? [] : [activity.result];
      segments.push(...chatFormat.next({ ...pending, toolResults }));
    }
    addTurn(answer);
  }
  return { segments, pending };
}
