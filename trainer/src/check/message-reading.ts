/** What the visitor's message after an answer says: by a judge who reads its text, or else by the rules of the page. */
import { type Feedback, MESSAGE_REWARDS, type MessageKind } from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";
import type { MessageJudge } from "../judge/message-judge.ts";
import { NEXT_MESSAGE } from "../judge/prompts/next-message.ts";
import { recordText } from "../judge/record-text.ts";
import { isCorrection, isJudgeable, type StrippedTrajectory } from "./stopped-signals.ts";

/** What a message says. */
type MessageReading = {
  /** `null` if it says nothing about the answer. */
  readonly message: MessageKind | null;
  /** Version of the prompt, if a judge read it. */
  readonly judge?: string;
  /** The text of a correction. */
  readonly correction: string | null;
  /** Why there is no reading of a message that only a judge could read. */
  readonly unread?: "judge-abstained" | "judge-failed";
};

const SILENT: MessageReading = { message: null, correction: null };

/**
 * The reading of the newest message. A verdict of the judge replaces that of the rules. An abstention or a failure is no
 * verdict: the rules then count, and a message in which they find nothing says nothing.
 */
export async function readMessage(
  { trajectory, feedback, isUnjudged }: StrippedTrajectory,
  format: Pick<ChatFormat, "next" | "decodeAssistant" | "parseAssistant">,
  judge: MessageJudge | undefined,
): Promise<MessageReading> {
  const last = feedback.findLast(({ kind }) => isMessage(kind) || kind === "next-message");
  if (last === undefined) return SILENT;
  const { kind, text } = last;
  const byRules = isMessage(kind) ? readAs(kind, text) : SILENT;
  if (judge === undefined || text === undefined || isUnjudged || !isJudgeable(last)) return byRules;
  const { request, transcript: answer } = recordText(trajectory, format);
  const verdict = await judge({ request, answer, next: text });
  if (verdict === "nothing") return SILENT;
  if (verdict !== "abstained" && verdict !== "failed") {
    return { ...readAs(verdict, text), judge: NEXT_MESSAGE.version };
  }
  return isMessage(kind) ? byRules : { ...SILENT, unread: `judge-${verdict}` };
}

function readAs(message: MessageKind, text: string | undefined): MessageReading {
  return { message, correction: isCorrection(message) ? (text ?? null) : null };
}

function isMessage(kind: Feedback["kind"]): kind is MessageKind {
  return Object.hasOwn(MESSAGE_REWARDS, kind);
}
