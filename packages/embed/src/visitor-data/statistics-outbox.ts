/** The outbox of a page whose site collects statistics only: what it stores has no tokens and no text of the visitor. */
import type { Outbox } from "@waggle/collector";
import { toStatistics } from "@waggle/protocol";

/** Practice tasks are the site's own and are kept in full. Edited answers are not kept, because they are only a text. */
export function statisticsOutbox(outbox: Outbox): Outbox {
  return {
    ...outbox,
    enqueue: (trajectory, more) =>
      trajectory.assignmentId === null
        ? outbox.enqueue(toStatistics(trajectory))
        : outbox.enqueue(trajectory, more),
    enqueueFeedback: async (feedback) => {
      if ("metric" in feedback) return outbox.enqueueFeedback(feedback);
      const { text: _, ...rest } = feedback;
      if (rest.kind === "edit" || rest.kind === "next-message") return undefined;
      return outbox.enqueueFeedback(rest);
    },
  };
}
