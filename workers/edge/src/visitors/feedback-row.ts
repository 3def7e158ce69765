/** Feedback as the database has it. */
import type { Feedback } from "@waggle/protocol";

/** A row of the table, where a missing text is null. */
export type FeedbackRow = Omit<Feedback, "text"> & { readonly text: string | null };

/** Feedback as it was sent. */
export function toFeedback({ text, ...row }: FeedbackRow): Feedback {
  return text === null ? row : { ...row, text };
}
