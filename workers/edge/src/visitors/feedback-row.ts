/** Feedback as the database has it. */
import type { Feedback } from "@waggle/protocol";

/** A row of the table, where what is missing is null. */
export type FeedbackRow = Omit<Feedback, "text" | "retryId"> & {
  readonly text: string | null;
  readonly retryId: string | null;
};

/** Feedback as it was sent. */
export function toFeedback({ text, retryId, ...row }: FeedbackRow): Feedback {
  return {
    ...row,
    ...(text === null ? {} : { text }),
    ...(retryId === null ? {} : { retryId }),
  };
}
