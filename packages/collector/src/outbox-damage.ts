/**
 * Handles rows that the browser's storage returns damaged: half-written, written by another program, or edited
 * by hand. A damaged row is removed and counted, so that it does not block the rows after it.
 */
import { trajectoryDigest } from "@waggle/protocol";
import type { IDBPDatabase, IDBPObjectStore, StoreNames } from "idb";
import type { Claimed, ClaimOptions } from "./outbox-contract.ts";
import type { OutboxDatabase, StoredEntry, StoredFeedback } from "./outbox-database.ts";
import { isFeedbackOrOutcome } from "./feedback-or-outcome.ts";

const DAMAGED = {
  code: "STORAGE_DAMAGED",
  message: "this browser's storage returned a damaged record; it was not sent",
};

/**
 * True while a tab holds the row. A claim that ends later than a new claim would must be from before the
 * clock was set back; it counts as expired.
 */
export function isHeld(
  { claimedUntil }: { readonly claimedUntil: number },
  now: number,
  leaseMs: number,
): boolean {
  return claimedUntil > now && claimedUntil <= now + leaseMs;
}

/** Whether a feedback row is complete and valid. */
export function isSoundFeedback(row: StoredFeedback): boolean {
  return isFeedbackOrOutcome(row.feedback) && Number.isFinite(row.enqueuedAt);
}

/** Whether an entry row is complete and valid. */
export function isSoundEntry(entry: StoredEntry): boolean {
  return (
    ["waiting", "sent", "rejected"].includes(entry.state) &&
    typeof entry.trajectoryId === "string" &&
    Number.isFinite(entry.enqueuedAt) &&
    Number.isFinite(entry.sizeBytes)
  );
}

/** Claims entries in one transaction. @returns the claims, and the digests of unreadable rows. */
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
      // A failed read aborts the earlier claims too; the next round repeats them.
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

/** Digests of claimed trajectories whose content does not match the digest. */
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

/** Removes damaged rows. If only the body is damaged, the entry stays in the log as rejected. */
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

/** Aborts a transaction that may already have ended. */
export function abortQuietly(tx: { abort(): void }): void {
  try {
    tx.abort();
  } catch {
    // It has already ended.
  }
}

/** Adds to the summary's count of damaged rows. */
export async function countDamaged<Stores extends ArrayLike<StoreNames<OutboxDatabase>>>(
  counters: IDBPObjectStore<OutboxDatabase, Stores, "counters", "readwrite">,
  count: number,
): Promise<void> {
  if (count === 0) return;
  await counters.put(((await counters.get("damaged")) ?? 0) + count, "damaged");
}
