/** The feedback that a visitor's next message gives, if it may be sent. */
import type { Consent, Feedback } from "@waggle/protocol";
import type { AnswerItem } from "../answer-record.ts";
import { nextMessageKind } from "./next-message.ts";

/**
 * @param consent - in force now.
 * @param sharesAll - whether a message is sent although the rules find nothing in it.
 * @returns `null` if the message says nothing about the answer, or must not be sent.
 */
export function nextFeedback(
  { request, answer }: { readonly request: string; readonly answer: AnswerItem },
  next: string,
  consent: Consent | null,
  sharesAll: boolean,
): Pick<Feedback, "kind" | "trajectoryId"> | null {
  const { trajectoryId, consentedAt, feedback, parts } = answer;
  // "Try again" has been sent as such. Under another consent the visitor may have another name, and would be linked to
  // the old one.
  if (trajectoryId === null || feedback === "retry" || consentedAt !== consent?.grantedAt)
    return null;
  if (consent === null) return null;
  const said = parts.flatMap((part) => (part.kind === "text" ? [part.text] : []));
  const kind = nextMessageKind({ request, answer: said.join(" "), next });
  if (kind !== null) return { kind, trajectoryId };
  return sharesAll ? { kind: "next-message", trajectoryId } : null;
}
