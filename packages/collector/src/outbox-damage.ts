/**
 * Rows that the browser's storage gives back damaged: half-written, of another program, or edited by hand. One
 * such row is taken out and counted, so that it never stops the rows behind it.
 */
import { Feedback, trajectoryDigest } from "@waggle/protocol";
import type { IDBPDatabase, IDBPObjectStore, StoreNames } from "idb";
import type { Claimed, ClaimOptions } from "./outbox-contract.ts";
import type { OutboxDatabase, StoredEntry, StoredFeedback } from "./outbox-database.ts";

const DAMAGED = {
  code: "STORAGE_DAMAGED",
  message: "this browser's storage gave the record back damaged; it was not sent",
};

/**
 * True while a tab holds the row. A claim that ends later than a new one would was made before the clock went
 * back, and counts as expired.
 */
export function isHeld(
  { claimedUntil }: { readonly claimedUntil: number },
  now: number,
  leaseMs: number,
): boolean {
  return claimedUntil > now && claimedUntil <= now + leaseMs;
}

export function isSoundFeedback(row: StoredFeedback): boolean {
  return Feedback.safeParse(row.feedback).success && Number.isFinite(row.enqueuedAt);
}

export function isSoundEntry(entry: StoredEntry): boolean {
  return (
    ["waiting", "sent", "rejected"].includes(entry.state) &&
    typeof entry.trajectoryId === "string" &&
    Number.isFinite(entry.enqueuedAt) &&
    Number.isFinite(entry.sizeBytes)
  );
}

/** Claims in one transaction. @returns also the digests of rows that cannot be read. */
export async function claimRows(
  db: IDBPDatabase<OutboxDatabase>,
  { limit, maxBytes, leaseMs, now }: ClaimOptions & { readonly now: number },
): Promise<{ readonly claimed: Claimed[]; readonly damaged: string[] }> {
  const tx = db.transaction(["entries", "bodies"], "readwrite");
  const entries = await tx.objectStore("entries").getAll();
  const damaged = entries.filter((entry) => !isSoundEntry(entry)).map(({ digest }) => digest);
  const due = entries
    .filter((entry) => isSoundEntry(entry) && entry.state === "waiting")
    .filter((entry) => !isHeld(entry, now, leaseMs))
    .toSorted((a, b) => a.enqueuedAt - b.enqueuedAt);
  const claimed: Claimed[] = [];
  let bytes = 0;
  for (const entry of due) {
    const { digest, sizeBytes } = entry;
    if (claimed.length >= limit) break;
    if (claimed.length > 0 && bytes + sizeBytes > maxBytes) break;
    let body;
    try {
      body = await tx.objectStore("bodies").get(digest);
    } catch {
      // One failed read gives up the claims before it, too; the next round makes them again.
      const ended = tx.done.catch(() => undefined);
      abortQuietly(tx);
      await ended;
      return { claimed: [], damaged: [...damaged, digest] };
    }
    if (body === undefined) {
      damaged.push(digest);
      continue;
    }
    await tx.objectStore("entries").put({ ...entry, claimedUntil: now + leaseMs });
    claimed.push({ digest, trajectory: body.trajectory, sizeBytes });
    bytes += sizeBytes;
  }
  await tx.done;
  return { claimed, damaged };
}

/** Digests of claimed trajectories that are not what was stored under them. */
export async function unsoundBodies(claimed: readonly Claimed[]): Promise<string[]> {
  const sound = await Promise.all(
    claimed.map(async ({ digest, trajectory }) => {
      try {
        return (await trajectoryDigest(trajectory)) === digest;
      } catch {
        return false;
      }
    }),
  );
  return claimed.filter((_, index) => !sound[index]).map(({ digest }) => digest);
}

/** Takes rows out: one whose own line can be read stays in the log as rejected, without its body. */
export async function quarantine(
  db: IDBPDatabase<OutboxDatabase>,
  digests: readonly string[],
  now: number,
): Promise<void> {
  if (digests.length === 0) return;
  const tx = db.transaction(["entries", "bodies", "counters"], "readwrite");
  const entries = tx.objectStore("entries");
  for (const digest of digests) {
    const entry = await entries.get(digest);
    await tx.objectStore("bodies").delete(digest);
    if (entry === undefined) continue;
    if (!isSoundEntry(entry)) await entries.delete(digest);
    else {
      const settled = {
        state: "rejected",
        reason: DAMAGED,
        settledAt: now,
        claimedUntil: 0,
      } as const;
      await entries.put({ ...entry, ...settled });
    }
  }
  await countDamaged(tx.objectStore("counters"), digests.length);
  await tx.done;
}

/** Ends a transaction that may have ended by itself. */
export function abortQuietly(tx: { abort(): void }): void {
  try {
    tx.abort();
  } catch {
    // It has ended by itself.
  }
}

/** Adds to the count that the summary tells. */
export async function countDamaged<Stores extends ArrayLike<StoreNames<OutboxDatabase>>>(
  counters: IDBPObjectStore<OutboxDatabase, Stores, "counters", "readwrite">,
  count: number,
): Promise<void> {
  if (count === 0) return;
  await counters.put(((await counters.get("damaged")) ?? 0) + count, "damaged");
}
