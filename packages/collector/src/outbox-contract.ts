/** What an outbox does and what it answers; `outbox.ts` keeps it in IndexedDB. */
import type { Feedback, Trajectory } from "@waggle/protocol";
import type { OutboxEntry, OutboxState } from "./outbox-entry.ts";

export type OutboxDetail = {
  readonly entry: OutboxEntry;
  /** Exactly what is or was to be sent. */
  readonly trajectory: Trajectory;
  /** The redacted text it was made from; stays on this device. */
  readonly text: string | null;
};

export type OutboxSummary = {
  readonly waiting: number;
  /** Since this database began, also those that the log no longer shows. */
  readonly sent: number;
  readonly rejected: number;
  readonly feedbackWaiting: number;
  /** Unsent trajectories given up for newer ones, since this database began. */
  readonly dropped: number;
  /** Rows that this browser's storage gave back damaged and that were taken out, since this database began. */
  readonly damaged: number;
  /** `full`: the last write did not fit. `unavailable`: this browser gives the page no database. */
  readonly storage: "ok" | "full" | "unavailable";
};

export type EnqueueResult =
  | { readonly stored: true; readonly digest: string; readonly duplicate: boolean }
  | {
      readonly stored: false;
      readonly digest: string;
      readonly reason: "QUOTA_EXCEEDED" | "STORAGE_UNAVAILABLE" | "PAYLOAD_TOO_LARGE";
    };

export type ClaimOptions = {
  /** Most entries. */
  readonly limit: number;
  /** Most bytes of JSON together; the first entry is given whatever its size. */
  readonly maxBytes: number;
  /** How long no other tab may claim them. */
  readonly leaseMs: number;
};

export type Claimed = {
  readonly digest: string;
  readonly trajectory: Trajectory;
  readonly sizeBytes: number;
};

export type Settlement =
  | { readonly key: string; readonly state: "sent" }
  | {
      readonly key: string;
      readonly state: "rejected";
      readonly reason: { readonly code: string; readonly message: string };
    };

export interface Outbox {
  /** Adds a trajectory to be sent. Storage that fails is a result and a summary state, never a throw. */
  enqueue(trajectory: Trajectory, options?: { readonly text?: string }): Promise<EnqueueResult>;
  /** Adds feedback, sent once its trajectory was. */
  enqueueFeedback(feedback: Feedback): Promise<void>;
  /** Oldest first; what another claim holds is left out. */
  claim(options: ClaimOptions): Promise<Claimed[]>;
  /** Feedback whose trajectory does not wait here any more, oldest first. */
  claimFeedback(options: { readonly limit: number; readonly leaseMs: number }): Promise<Feedback[]>;
  /** Ends claims with what the edge said; `key` is the digest. */
  settle(settlements: readonly Settlement[]): Promise<void>;
  /** Ends feedback claims: what was answered, well or not, is not sent again. */
  settleFeedback(ids: readonly string[]): Promise<void>;
  /** Ends claims without an answer; the entries wait again. */
  release(digests: readonly string[], feedbackIds?: readonly string[]): Promise<void>;
  /** Newest first. */
  list(limit?: number): Promise<OutboxEntry[]>;
  /** What became of these, at the cost of these; absent ones are left out, `null` without storage. */
  states(digests: readonly string[]): Promise<ReadonlyMap<string, OutboxState> | null>;
  read(digest: string): Promise<OutboxDetail | null>;
  summary(): Promise<OutboxSummary>;
  /** Removes what was not sent yet: after a withdrawn consent nothing may go out later. */
  discardWaiting(): Promise<void>;
  /** Removes everything, the log too. */
  clear(): Promise<void>;
  /** Called after changes, by this tab or another. @returns what ends it. */
  onChange(listener: () => void): () => void;
  close(): void;
}
