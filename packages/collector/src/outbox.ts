/**
 * The durable list of trajectories to send and of those already sent. It survives reloads and network
 * failures, and several tabs share it. It neither sends anything (`createUploader` does) nor checks consent.
 *
 * Sharing: an entry is claimed in one IndexedDB read-write transaction, which the browser serializes over all
 * tabs. Claims expire, because a tab may die. The edge is idempotent by digest, so the rare second upload after
 * an expired claim is harmless.
 *
 * Limits: when more than `maxWaiting` entries or `maxWaitingBytes` wait, the oldest unsent trajectory is
 * dropped. It was sampled by the oldest policy and is least useful to the trainer. Sent and rejected entries are
 * kept only for display and are dropped first when the disk is full.
 */
import { openDB } from "idb";
import type { IDBPDatabase } from "idb";
import { trajectoryDigest, WaggleError } from "@waggle/protocol";
import type { Trajectory } from "@waggle/protocol";
import { isFeedbackOrOutcome } from "./feedback-or-outcome.ts";
import type { FeedbackOrOutcome } from "./feedback-or-outcome.ts";
import { openOutboxDatabase } from "./outbox-database.ts";
import type { OutboxDatabase, StoredEntry } from "./outbox-database.ts";
import {
  abortQuietly,
  claimRows,
  countDamaged,
  isHeld,
  isSoundEntry,
  isSoundFeedback,
  quarantine,
  unsoundBodies,
} from "./outbox-damage.ts";
import type { OutboxEntry, OutboxState } from "./outbox-entry.ts";
import type { Claimed, Outbox, OutboxDetail, OutboxSummary } from "./outbox-contract.ts";

/** Name and limits of the outbox. */
export type OutboxOptions = {
  /** Name of the database and of the channel between tabs. Default `waggle-outbox`. */
  readonly name?: string;
  /** Milliseconds since 1970. Default `Date.now`. */
  readonly clock?: () => number;
  /** Default 500 trajectories. */
  readonly maxWaiting?: number;
  /** Default 32 MiB of JSON. */
  readonly maxWaitingBytes?: number;
  /** Number of sent and rejected entries kept for display. Default 200. */
  readonly maxLog?: number;
  /** Maximum size of a trajectory as JSON. Default 2 MiB. */
  readonly maxEntryBytes?: number;
};

type StorageState = OutboxSummary["storage"];

/** Opens the outbox. Without a database it opens too, stores nothing and reports that in its summary. */
export async function createOutbox(options: OutboxOptions = {}): Promise<Outbox> {
  const {
    name = "waggle-outbox",
    clock = Date.now,
    maxWaiting = 500,
    maxWaitingBytes = 32 * 1024 * 1024,
    maxLog = 200,
    maxEntryBytes = 2 * 1024 * 1024,
  } = options;
  let storage: StorageState = "ok";
  const database = await openOutboxDatabase(openDB, name);
  if (database === null) storage = "unavailable";

  const listeners = new Set<() => void>();
  const channel = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel(name);
  const notify = (): void => {
    for (const listener of listeners) listener();
  };
  channel?.addEventListener("message", notify);
  let closed = false;
  const changed = (): void => {
    if (closed) return;
    channel?.postMessage("changed");
    notify();
  };

  /** Runs a database operation and turns a full disk or a broken database into a state. */
  const guarded = async <T>(
    otherwise: T,
    run: (db: IDBPDatabase<OutboxDatabase>) => Promise<T>,
  ): Promise<T> => {
    if (database === null || closed) return otherwise;
    try {
      const result = await run(database);
      return result;
    } catch (error) {
      const name = error instanceof Error || error instanceof DOMException ? error.name : "";
      storage = name === "QuotaExceededError" ? "full" : "unavailable";
      if (WaggleError.is(error, "INVALID_ARGUMENT")) throw error;
      notify();
      return otherwise;
    }
  };

  const put = (entry: StoredEntry, trajectory: Trajectory, text: string | null) =>
    guarded<"stored" | "duplicate" | "failed">("failed", async (db) => {
      const tx = db.transaction(["entries", "bodies", "counters"], "readwrite");
      const entries = tx.objectStore("entries");
      if ((await entries.get(entry.digest)) !== undefined) return "duplicate";
      const all = await entries.index("enqueuedAt").getAll();
      const waiting = all.filter((other) => other.state === "waiting" && isSoundEntry(other));
      let bytes = waiting.reduce((sum, other) => sum + other.sizeBytes, entry.sizeBytes);
      let count = waiting.length + 1;
      let dropped = (await tx.objectStore("counters").get("dropped")) ?? 0;
      for (const oldest of waiting) {
        if (count <= maxWaiting && bytes <= maxWaitingBytes) break;
        detached(entries.delete(oldest.digest));
        detached(tx.objectStore("bodies").delete(oldest.digest));
        bytes -= oldest.sizeBytes;
        count--;
        dropped++;
      }
      detached(tx.objectStore("counters").put(dropped, "dropped"));
      const log = all.filter((other) => other.state !== "waiting");
      for (const old of log.slice(0, Math.max(0, log.length - maxLog))) {
        detached(entries.delete(old.digest));
        detached(tx.objectStore("bodies").delete(old.digest));
      }
      try {
        await tx.objectStore("bodies").put({ digest: entry.digest, trajectory, text });
        detached(entries.put(entry));
        await tx.done;
      } catch (error) {
        // Abort, so that entries dropped to make room for this one are restored.
        detached(tx.done);
        abortQuietly(tx);
        throw error;
      }
      storage = "ok";
      return "stored";
    });

  const dropLog = () =>
    guarded(undefined, async (db) => {
      const tx = db.transaction(["entries", "bodies"], "readwrite");
      for (const entry of await tx.objectStore("entries").getAll()) {
        if (entry.state === "waiting") continue;
        detached(tx.objectStore("entries").delete(entry.digest));
        detached(tx.objectStore("bodies").delete(entry.digest));
      }
      await tx.done;
    });

  return {
    async enqueue(trajectory, { text } = {}) {
      const digest = await trajectoryDigest(trajectory);
      const sizeBytes = new TextEncoder().encode(JSON.stringify(trajectory)).length;
      if (sizeBytes > maxEntryBytes) return { stored: false, digest, reason: "PAYLOAD_TOO_LARGE" };
      const entry: StoredEntry = {
        digest,
        trajectoryId: trajectory.id,
        state: "waiting",
        enqueuedAt: clock(),
        settledAt: null,
        sizeBytes,
        policyVersion: trajectory.policyVersion,
        turns: trajectory.turns.length,
        stopReason: trajectory.stopReason,
        reason: null,
        claimedUntil: 0,
      };
      let outcome = await put(entry, trajectory, text ?? null);
      if (outcome === "failed" && storage === "full") {
        await dropLog();
        outcome = await put(entry, trajectory, text ?? null);
      }
      if (outcome === "failed") {
        const reason = storage === "full" ? "QUOTA_EXCEEDED" : "STORAGE_UNAVAILABLE";
        return { stored: false, digest, reason };
      }
      changed();
      return { stored: true, digest, duplicate: outcome === "duplicate" };
    },

    async enqueueFeedback(feedback) {
      if (!isFeedbackOrOutcome(feedback)) {
        const members = Object.keys(feedback).join(", ");
        throw new WaggleError(
          "INVALID_ARGUMENT",
          `this is no feedback or outcome, or one of its members is invalid (${members.slice(0, 100)}); see Feedback and Outcome in @waggle/protocol`,
        );
      }
      await guarded(undefined, async (db) => {
        const tx = db.transaction("feedback", "readwrite");
        const newest = await tx.store.index("enqueuedAt").openCursor(null, "prev");
        // Never the same time twice: what a visitor said last must also be sent last.
        const enqueuedAt = Math.max(clock(), (newest?.value.enqueuedAt ?? 0) + 1);
        detached(tx.store.put({ id: feedback.id, feedback, enqueuedAt, claimedUntil: 0 }));
        await tx.done;
      });
      changed();
    },

    claim: ({ limit, maxBytes, leaseMs }) =>
      guarded<Claimed[]>([], async (db) => {
        for (;;) {
          const { claimed, damaged } = await claimRows(db, {
            limit,
            maxBytes,
            leaseMs,
            now: clock(),
          });
          const unsound = await unsoundBodies(claimed);
          await quarantine(db, [...damaged, ...unsound], clock());
          if (damaged.length + unsound.length > 0) changed();
          const sound = claimed.filter(({ digest }) => !unsound.includes(digest));
          // If every claimed row was damaged, sound rows may still wait behind them.
          if (sound.length > 0 || damaged.length + unsound.length === 0) return sound;
        }
      }),

    claimFeedback: ({ limit, leaseMs }) =>
      guarded<FeedbackOrOutcome[]>([], async (db) => {
        const now = clock();
        const tx = db.transaction(["entries", "feedback", "counters"], "readwrite");
        const waiting = new Set(
          (await tx.objectStore("entries").getAll())
            .filter((entry) => entry.state === "waiting")
            .map((entry) => entry.trajectoryId),
        );
        const rows = await tx.objectStore("feedback").getAll();
        const damaged = rows.filter((row) => !isSoundFeedback(row));
        for (const { id } of damaged) detached(tx.objectStore("feedback").delete(id));
        await countDamaged(tx.objectStore("counters"), damaged.length);
        const due = rows
          .filter(isSoundFeedback)
          .filter((row) => !isHeld(row, now, leaseMs) && !waiting.has(row.feedback.trajectoryId))
          .toSorted((a, b) => a.enqueuedAt - b.enqueuedAt)
          .slice(0, limit);
        for (const row of due) {
          detached(tx.objectStore("feedback").put({ ...row, claimedUntil: now + leaseMs }));
        }
        await tx.done;
        return due.map((row) => row.feedback);
      }),

    async settle(settlements) {
      await guarded(undefined, async (db) => {
        const tx = db.transaction(["entries", "counters"], "readwrite");
        const entries = tx.objectStore("entries");
        const counters = tx.objectStore("counters");
        for (const settlement of settlements) {
          const entry = await entries.get(settlement.key);
          if (entry === undefined) continue;
          if (entry.state === "waiting") {
            const before = (await counters.get(settlement.state)) ?? 0;
            detached(counters.put(before + 1, settlement.state));
          }
          const reason = settlement.state === "rejected" ? settlement.reason : null;
          const settled = { state: settlement.state, reason, settledAt: clock(), claimedUntil: 0 };
          detached(entries.put({ ...entry, ...settled }));
        }
        await tx.done;
      });
      changed();
    },

    async settleFeedback(ids) {
      await guarded(undefined, async (db) => {
        const tx = db.transaction("feedback", "readwrite");
        for (const id of ids) detached(tx.store.delete(id));
        await tx.done;
      });
      changed();
    },

    async release(digests, feedbackIds = []) {
      await guarded(undefined, async (db) => {
        const tx = db.transaction(["entries", "feedback"], "readwrite");
        for (const digest of digests) {
          const entry = await tx.objectStore("entries").get(digest);
          if (entry !== undefined)
            detached(tx.objectStore("entries").put({ ...entry, claimedUntil: 0 }));
        }
        for (const id of feedbackIds) {
          const row = await tx.objectStore("feedback").get(id);
          if (row !== undefined)
            detached(tx.objectStore("feedback").put({ ...row, claimedUntil: 0 }));
        }
        await tx.done;
      });
    },

    list: (limit = 200) =>
      guarded<OutboxEntry[]>([], async (db) => {
        const entries = await db.getAllFromIndex("entries", "enqueuedAt");
        return entries.reverse().slice(0, limit).map(toEntry);
      }),

    states: (digests) =>
      guarded<ReadonlyMap<string, OutboxState> | null>(null, async (db) => {
        const { store } = db.transaction("entries");
        const entries = await Promise.all(digests.map((digest) => store.get(digest)));
        return new Map(
          entries
            .filter((entry) => entry !== undefined)
            .map(({ digest, state }) => [digest, state]),
        );
      }),

    read: (digest) =>
      guarded<OutboxDetail | null>(null, async (db) => {
        const tx = db.transaction(["entries", "bodies"]);
        const entry = await tx.objectStore("entries").get(digest);
        const body = await tx.objectStore("bodies").get(digest);
        if (entry === undefined || body === undefined) return null;
        return { entry: toEntry(entry), trajectory: body.trajectory, text: body.text };
      }),

    async summary() {
      const counts = {
        waiting: 0,
        sent: 0,
        rejected: 0,
        feedbackWaiting: 0,
        dropped: 0,
        damaged: 0,
      };
      await guarded(undefined, async (db) => {
        const tx = db.transaction(["entries", "feedback", "counters"]);
        const entries = await tx.objectStore("entries").getAll();
        counts.waiting = entries.filter((entry) => entry.state === "waiting").length;
        counts.feedbackWaiting = await tx.objectStore("feedback").count();
        for (const name of ["sent", "rejected", "dropped", "damaged"] as const) {
          counts[name] = (await tx.objectStore("counters").get(name)) ?? 0;
        }
      });
      return { ...counts, storage };
    },

    async discardWaiting() {
      await guarded(undefined, async (db) => {
        const tx = db.transaction(["entries", "bodies", "feedback"], "readwrite");
        for (const entry of await tx.objectStore("entries").getAll()) {
          if (entry.state !== "waiting") continue;
          detached(tx.objectStore("entries").delete(entry.digest));
          detached(tx.objectStore("bodies").delete(entry.digest));
        }
        detached(tx.objectStore("feedback").clear());
        await tx.done;
      });
      changed();
    },

    async clear() {
      await guarded(undefined, async (db) => {
        const tx = db.transaction(["entries", "bodies", "feedback", "counters"], "readwrite");
        detached(tx.objectStore("entries").clear());
        detached(tx.objectStore("bodies").clear());
        detached(tx.objectStore("feedback").clear());
        detached(tx.objectStore("counters").clear());
        await tx.done;
      });
      changed();
    },

    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },

    close() {
      closed = true;
      listeners.clear();
      channel?.close();
      database?.close();
    },
  };
}

function toEntry({ claimedUntil: _claimedUntil, ...entry }: StoredEntry): OutboxEntry {
  return entry;
}

/** Ignores the failure of a single request: `tx.done` reports it. */
function detached(request: Promise<unknown>): void {
  request.catch(() => undefined);
}
