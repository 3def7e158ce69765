/** One line of the outbox: what became of a trajectory, without its body. */

export type OutboxState = "waiting" | "sent" | "rejected";

/** What the "what I sent" view lists. */
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
  /** Of a rejected one: the edge's stable code and sentence. */
  readonly reason: { readonly code: string; readonly message: string } | null;
};
