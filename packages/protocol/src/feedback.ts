/** A visitor's reaction to a trajectory. It arrives later and is joined by trajectory id. */
import { z } from "zod";
import { readOnly } from "./read-only-schema.ts";

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
