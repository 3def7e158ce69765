/** An entry of the outbox: the state of a trajectory, without its content. */

/** Whether a trajectory was sent. */
export type OutboxState = "waiting" | "sent" | "rejected";

/** An entry as the "what I sent" view lists it. */
export type OutboxEntry = {
  readonly digest: string;
  readonly trajectoryId: string;
  readonly state: OutboxState;
  /** Milliseconds since 1970. */
  readonly enqueuedAt: number;
  readonly settledAt: number | null;
  readonly sizeBytes: number;
  readonly policyVersion: number;
  readonly turns: number;
  readonly stopReason: string;
  /** For a rejected entry, the edge's error code and message. */
  readonly reason: { readonly code: string; readonly message: string } | null;
};
