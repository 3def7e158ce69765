/** A visitor's reaction to a trajectory. It arrives later and is joined by trajectory id. */
import { z } from "zod";
import { FEEDBACK_TEXT_LENGTH } from "./constants.ts";
import { readOnly } from "./read-only-schema.ts";

/**
 * What a trainer can learn from: a thumb, an outcome of a declared metric, a message after the answer, that the visitor undid
 * what the agent did, the answer as the visitor edited it or as the site's staff wrote it, what a judge says (about texts of
 * messages, or about new trials at a visitor's request), or a retry: the answer before "Try again" and the one after it.
 */
export type FeedbackSource = z.infer<typeof FeedbackSource>;
export const FeedbackSource = z.enum([
  "thumb",
  "outcome",
  "message",
  "undo",
  "edit",
  "staff",
  "judge",
  "retry",
]);

/**
 * `next-`: what the visitor's next message says about the answer, by rules that run in the page. `next-message`: the rules
 * find nothing, and only a judge can read its text. `undo`: the visitor undid what the agent did, as the page reports.
 */
const FeedbackKind = z.enum([
  "thumb-up",
  "thumb-down",
  "retry",
  "undo",
  "abandon",
  "next-thanks",
  "next-repeats",
  "next-corrects",
  "next-contradicts",
  "next-message",
  "edit",
]);

/** The kinds that the source `message` means. 1: the visitor is content; 0: the visitor wants something else. */
export const MESSAGE_REWARDS = {
  "next-thanks": 1,
  "next-repeats": 0,
  "next-corrects": 0,
  "next-contradicts": 0,
  retry: 0,
} as const satisfies { readonly [kind in z.infer<typeof FeedbackKind>]?: 0 | 1 };
export type MessageKind = keyof typeof MESSAGE_REWARDS;

/** The kinds that have no meaning without their text. */
const ONLY_TEXT: ReadonlySet<string> = new Set(["next-message", "edit"]);

/** For `edit` the text is the whole answer, for the others the visitor's message. */
const canHaveText = (kind: string): boolean => kind === "edit" || kind.startsWith("next-");

/** One reaction. `id` makes sending it again idempotent. */
export type Feedback = z.infer<typeof Feedback>;
export const Feedback = readOnly(
  z
    .strictObject({
      id: z.uuid(),
      trajectoryId: z.uuid(),
      kind: FeedbackKind,
      /** Redacted in the page. Absent: the site does not ask for texts. */
      text: z.string().min(1).max(FEEDBACK_TEXT_LENGTH).optional(),
      /** Of `retry`: id of the trajectory that answers the request again. Pages of earlier releases do not send it. */
      retryId: z.uuid().optional(),
      at: z.iso.datetime(),
    })
    .refine(({ kind, text }) => text === undefined || canHaveText(kind), {
      path: ["text"],
      message: "only edit and the kinds that begin with next- can have a text",
    })
    .refine(({ kind, retryId }) => retryId === undefined || kind === "retry", {
      path: ["retryId"],
      message: "only retry can have the id of another trajectory",
    })
    .refine(({ kind, text }) => text !== undefined || !ONLY_TEXT.has(kind), {
      path: ["text"],
      message: "edit needs the text of the whole answer, and next-message that of the message",
    }),
);
