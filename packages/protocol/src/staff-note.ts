/** What the site's staff write about one trajectory. */
import { z } from "zod";
import { FEEDBACK_TEXT_LENGTH } from "./constants.ts";

/** Body of `POST /v1/operator/trajectories/:digest/notes`. */
export type StaffNoteRequest = z.infer<typeof StaffNoteRequest>;
export const StaffNoteRequest = z.strictObject({
  /** Makes sending it again idempotent. */
  id: z.uuid(),
  /** `answer`: what the last answer should have been, for the trainer to imitate. `comment`: for colleagues only. */
  kind: z.enum(["answer", "comment"]),
  text: z.string().trim().min(1).max(FEEDBACK_TEXT_LENGTH),
});

/** A stored note, and the answer of the request. The edge has redacted its text. */
export type StaffNote = z.infer<typeof StaffNote>;
export const StaffNote = z.object({
  id: z.uuid(),
  kind: StaffNoteRequest.shape.kind,
  text: z.string(),
  /** Name that the operator gave. */
  by: z.string(),
  at: z.iso.datetime(),
});
