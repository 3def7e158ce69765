/** The outbox of a page whose site collects rewards only: nothing of the visitor is stored for sending. */
import type { Outbox } from "@waggle/collector";

/** Rewards are sent at once and never wait, so nothing is added. */
export function rewardsOutbox(outbox: Outbox): Outbox {
  return {
    ...outbox,
    enqueue: async () => ({ stored: false, digest: "", reason: "STORAGE_UNAVAILABLE" }),
    enqueueFeedback: async () => undefined,
  };
}
