/** A visitor's reaction to a trajectory. It arrives later and is joined by trajectory id. */
import { z } from "zod";
import { readOnly } from "./read-only-schema.ts";

/** What a trainer can learn from: a thumb, an outcome of a declared metric, or a message after the answer. */
export type FeedbackSource = z.infer<typeof FeedbackSource>;
export const FeedbackSource = z.enum(["thumb", "outcome", "message"]);

/** `next-`: what the visitor's next message says about the answer, by rules that run in the page. */
const FeedbackKind = z.enum([
  "thumb-up",
  "thumb-down",
  "retry",
  "abandon",
  "next-thanks",
  "next-repeats",
  "next-corrects",
  "next-contradicts",
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

/** One reaction. `id` makes sending it again idempotent. */
export type Feedback = z.infer<typeof Feedback>;
export const Feedback = readOnly(
  z.strictObject({
    id: z.uuid(),
    trajectoryId: z.uuid(),
    kind: FeedbackKind,
    at: z.iso.datetime(),
  }),
);
