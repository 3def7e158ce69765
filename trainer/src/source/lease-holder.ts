/**
 * Takes, renews and releases a trainer's leases. A lease that could not be renewed in time is lost:
 * another trainer may have its groups, so this one must not train on them.
 */
import type { LeasedGroup, PolicyVersionId } from "@waggle/protocol";
import { WaggleError } from "@waggle/protocol";
import type { EdgeClient } from "../edge/edge-client.ts";

/** A lease with its groups, as the trainer has it. */
export type HeldLease = {
  readonly leaseId: string;
  readonly fencingToken: number;
  readonly groups: readonly LeasedGroup[];
  /** Digests in the lease that this release cannot read. */
  readonly unreadable?: readonly string[] | undefined;
  /** True if earlier leases of its group failed: it is then trained on by itself. */
  readonly isAlone?: boolean | undefined;
};

/** Leases of one trainer. */
export interface LeaseHolder {
  /** Leases up to that many groups; `null` if none is ready. */
  take(maxGroups: number): Promise<HeldLease | null>;
  /**
   * Renews leases older than a third of their duration. Safe to call at any time and concurrently;
   * transient failures are left to the next call.
   */
  renewDue(): Promise<void>;
  /**
   * Renews every lease now, whatever its age.
   * @returns digests in the leases whose visitors have been forgotten meanwhile
   */
  confirm(): Promise<ReadonlySet<string>>;
  isHeld(lease: HeldLease): boolean;
  /** Stops renewing a lease that was acknowledged or given up. */
  drop(lease: HeldLease): void;
  /** Releases a lease untrained; its groups can be leased again at once. */
  release(lease: HeldLease): Promise<void>;
  /** Releases all leases. */
  releaseAll(): Promise<void>;
}

/** Creates a lease holder without leases. */
export function createLeaseHolder(options: {
  readonly edge: EdgeClient;
  readonly trainerId: string;
  readonly durationSeconds: number;
  /** Monotonic clock in milliseconds. */
  readonly now: () => number;
}): LeaseHolder {
  const { edge, trainerId, durationSeconds, now } = options;
  const durationMs = durationSeconds * 1000;
  const renewedAt = new Map<HeldLease, number>();
  const forgotten = new Map<HeldLease, readonly string[]>();
  let renewing: Promise<void> | null = null;

  async function renewAll(minAgeMs: number): Promise<void> {
    for (const [lease, at] of renewedAt) {
      if (now() - at < minAgeMs) continue;
      const sentAt = now();
      try {
        const { leaseId, fencingToken } = lease;
        const answer = await edge.renew(leaseId, { fencingToken, durationSeconds });
        if (!renewedAt.has(lease)) continue;
        renewedAt.set(lease, sentAt);
        forgotten.set(lease, answer.forgotten ?? []);
      } catch (error) {
        if (isLost(error)) drop(lease);
        else if (!WaggleError.is(error) || !error.retryable) throw error;
      }
    }
  }

  function drop(lease: HeldLease): void {
    renewedAt.delete(lease);
    forgotten.delete(lease);
  }

  /** One renewal at a time. */
  function renew(minAgeMs: number): Promise<void> {
    renewing ??= renewAll(minAgeMs).finally(() => {
      renewing = null;
    });
    return renewing;
  }

  async function release(lease: HeldLease): Promise<void> {
    drop(lease);
    await edge.release(lease.leaseId, lease.fencingToken);
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
        unreadable: answer.unreadable,
        isAlone: answer.isAlone,
      };
      renewedAt.set(lease, sentAt);
      return lease;
    },
    renewDue: () => renew(durationMs / 3),
    async confirm() {
      await renewing;
      await renew(0);
      return new Set([...forgotten.values()].flat());
    },
    isHeld(lease) {
      const at = renewedAt.get(lease);
      return at !== undefined && now() - at < durationMs;
    },
    drop,
    release,
    async releaseAll() {
      for (const lease of Array.from(renewedAt.keys())) await release(lease);
    },
  };
}

/** True if the edge no longer counts the lease as ours. */
export function isLost(error: unknown): boolean {
  return WaggleError.is(error, "LEASE_LOST") || WaggleError.is(error, "NOT_FOUND");
}

/** Digests of the lease's trajectories. */
export function digestsOf(lease: HeldLease): string[] {
  return lease.groups.flatMap((group) => group.trajectories.map(({ digest }) => digest));
}

/** Versions that sampled its trajectories; a version may occur more than once. */
export function versionsOf({ groups }: HeldLease): PolicyVersionId[] {
  return groups.flatMap(({ trajectories }) =>
    trajectories.map(({ trajectory }) => trajectory.policyVersion),
  );
}
