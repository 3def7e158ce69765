/**
 * The leases a trainer holds: taken, kept alive, and given up. A lease that could not be renewed in
 * time is lost: its groups may be someone else's by now and must not be learned from.
 */
import type { LeasedGroup } from "@waggle/protocol";
import { WaggleError } from "@waggle/protocol";
import type { EdgeClient } from "./edge-client.ts";

export type HeldLease = {
  readonly leaseId: string;
  readonly fencingToken: number;
  readonly groups: readonly LeasedGroup[];
};

export interface LeaseHolder {
  /** Leases up to that many groups; `null` when none is ready. */
  take(maxGroups: number): Promise<HeldLease | null>;
  /**
   * Renews what is older than a third of its time. Safe to call at any moment and concurrently;
   * failures that may pass are left to the next call.
   */
  renewDue(): Promise<void>;
  isHeld(lease: HeldLease): boolean;
  /** Stops keeping a lease alive: it was acknowledged or given up. */
  drop(lease: HeldLease): void;
  /** Gives every lease back. */
  releaseAll(): Promise<void>;
}

export function createLeaseHolder(options: {
  readonly edge: EdgeClient;
  readonly trainerId: string;
  readonly durationSeconds: number;
  /** Milliseconds, never falling. */
  readonly now: () => number;
}): LeaseHolder {
  const { edge, trainerId, durationSeconds, now } = options;
  const durationMs = durationSeconds * 1000;
  const renewedAt = new Map<HeldLease, number>();
  let renewing: Promise<void> | null = null;

  async function renewAll(): Promise<void> {
    for (const [lease, at] of renewedAt) {
      if (now() - at < durationMs / 3) continue;
      const sentAt = now();
      try {
        const { leaseId, fencingToken } = lease;
        await edge.renew(leaseId, { fencingToken, durationSeconds });
        if (renewedAt.has(lease)) renewedAt.set(lease, sentAt);
      } catch (error) {
        if (isLost(error)) renewedAt.delete(lease);
        else if (!WaggleError.is(error) || !error.retryable) throw error;
      }
    }
  }

  return {
    async take(maxGroups) {
      const sentAt = now();
      const answer = await edge.lease({ trainerId, maxGroups, durationSeconds });
      if (answer.leaseId === null || answer.groups.length === 0) return null;
      const lease = {
        leaseId: answer.leaseId,
        fencingToken: answer.fencingToken,
        groups: answer.groups,
      };
      renewedAt.set(lease, sentAt);
      return lease;
    },
    renewDue() {
      renewing ??= renewAll().finally(() => {
        renewing = null;
      });
      return renewing;
    },
    isHeld(lease) {
      const at = renewedAt.get(lease);
      return at !== undefined && now() - at < durationMs;
    },
    drop(lease) {
      renewedAt.delete(lease);
    },
    async releaseAll() {
      for (const lease of [...renewedAt.keys()]) {
        renewedAt.delete(lease);
        await edge.release(lease.leaseId, lease.fencingToken);
      }
    },
  };
}

/** True where the edge no longer counts this lease as ours. */
export function isLost(error: unknown): boolean {
  return WaggleError.is(error, "LEASE_LOST") || WaggleError.is(error, "NOT_FOUND");
}
