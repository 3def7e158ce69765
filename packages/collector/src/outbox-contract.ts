/** The outbox interface. `outbox.ts` implements it with IndexedDB. */
import type { Trajectory } from "@waggle/protocol";
import type { FeedbackOrOutcome } from "./feedback-or-outcome.ts";
import type { OutboxEntry, OutboxState } from "./outbox-entry.ts";

/** An entry with its content. */
export type OutboxDetail = {
  readonly entry: OutboxEntry;
  /** Exactly what was or will be sent. */
  readonly trajectory: Trajectory;
  /** The redacted text that the trajectory was made from. It stays on this device. */
  readonly text: string | null;
};

/** Counts and the state of the storage. */
export type OutboxSummary = {
  readonly waiting: number;
  /** Since this database was created, including entries no longer in the log. */
  readonly sent: number;
  readonly rejected: number;
  /** Including outcomes. */
  readonly feedbackWaiting: number;
  /** Unsent trajectories dropped in favor of newer ones, since this database was created. */
  readonly dropped: number;
  /** Damaged rows that were removed, since this database was created. */
  readonly damaged: number;
  /** `full`: the last write did not fit. `unavailable`: this browser provides no database. */
  readonly storage: "ok" | "full" | "unavailable";
};

/** Whether a trajectory was stored, or why not. */
export type EnqueueResult =
  | { readonly stored: true; readonly digest: string; readonly duplicate: boolean }
  | {
      readonly stored: false;
      readonly digest: string;
      readonly reason: "QUOTA_EXCEEDED" | "STORAGE_UNAVAILABLE" | "PAYLOAD_TOO_LARGE";
    };

/** Limits of one claim. */
export type ClaimOptions = {
  /** Maximum number of entries. */
  readonly limit: number;
  /** Maximum total size as JSON. The first entry is returned whatever its size. */
  readonly maxBytes: number;
  /** How long no other tab can claim the entries. */
  readonly leaseMs: number;
};

/** An entry reserved for sending. */
export type Claimed = {
  readonly digest: string;
  readonly trajectory: Trajectory;
  readonly sizeBytes: number;
};

/** The edge's answer for one entry. */
export type Settlement =
  | { readonly key: string; readonly state: "sent" }
  | {
      readonly key: string;
      readonly state: "rejected";
      readonly reason: { readonly code: string; readonly message: string };
    };

/** Trajectories, feedback and outcomes to send, and a log of what was sent. */
export interface Outbox {
  /** Adds a trajectory. A storage failure is reported in the result and the summary, and never thrown. */
  enqueue(trajectory: Trajectory, options?: { readonly text?: string }): Promise<EnqueueResult>;
  /** Adds feedback or an outcome. It is sent after its trajectory, if that is waiting. */
  enqueueFeedback(feedback: FeedbackOrOutcome): Promise<void>;
  /** Reserves waiting entries for this tab, oldest first. Skips entries that are already claimed. */
  claim(options: ClaimOptions): Promise<Claimed[]>;
  /** Reserves feedback and outcomes whose trajectory is not waiting, oldest first. */
  claimFeedback(options: {
    readonly limit: number;
    readonly leaseMs: number;
  }): Promise<FeedbackOrOutcome[]>;
  /** Ends claims with the edge's answers. `key` is the digest. */
  settle(settlements: readonly Settlement[]): Promise<void>;
  /** Ends claims of feedback that was answered; it is not sent again. */
  settleFeedback(ids: readonly string[]): Promise<void>;
  /** Ends claims without an answer. The entries wait again. */
  release(digests: readonly string[], feedbackIds?: readonly string[]): Promise<void>;
  /** Newest first. */
  list(limit?: number): Promise<OutboxEntry[]>;
  /** States of the given entries, without reading others. Unknown digests are omitted; `null` without storage. */
  states(digests: readonly string[]): Promise<ReadonlyMap<string, OutboxState> | null>;
  read(digest: string): Promise<OutboxDetail | null>;
  summary(): Promise<OutboxSummary>;
  /** Removes everything unsent, so that nothing is sent after consent was withdrawn. */
  discardWaiting(): Promise<void>;
  /** Removes everything, including the log. */
  clear(): Promise<void>;
  /** Calls the listener after changes by this tab or another. @returns a function that unsubscribes. */
  onChange(listener: () => void): () => void;
  close(): void;
}
