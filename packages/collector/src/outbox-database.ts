/** The IndexedDB schema of the outbox: short rows apart from bodies, so that listing reads no body. */
import type { DBSchema, IDBPDatabase, openDB } from "idb";
import type { Feedback, Trajectory } from "@waggle/protocol";
import type { OutboxEntry } from "./outbox-entry.ts";

/** `claimedUntil`: milliseconds since 1970 until which one tab has it; 0 = free. */
export type StoredEntry = OutboxEntry & { readonly claimedUntil: number };

export type StoredFeedback = {
  readonly id: string;
  readonly feedback: Feedback;
  readonly enqueuedAt: number;
  readonly claimedUntil: number;
};

export interface OutboxDatabase extends DBSchema {
  entries: { key: string; value: StoredEntry; indexes: { enqueuedAt: number } };
  bodies: { key: string; value: { digest: string; trajectory: Trajectory; text: string | null } };
  feedback: {
    key: string;
    value: StoredFeedback;
    indexes: { enqueuedAt: number };
  };
  counters: { key: string; value: number };
}

/** The database, or `null` where the browser gives none (private modes, forbidden site data). */
export async function openOutboxDatabase(
  open: typeof openDB,
  name: string,
): Promise<IDBPDatabase<OutboxDatabase> | null> {
  try {
    const database: IDBPDatabase<OutboxDatabase> = await open<OutboxDatabase>(name, 1, {
      upgrade(db) {
        db.createObjectStore("entries", { keyPath: "digest" }).createIndex(
          "enqueuedAt",
          "enqueuedAt",
        );
        db.createObjectStore("bodies", { keyPath: "digest" });
        db.createObjectStore("feedback", { keyPath: "id" }).createIndex("enqueuedAt", "enqueuedAt");
        db.createObjectStore("counters");
      },
      // Another tab with a newer schema must not wait for this one.
      blocking: () => database.close(),
    });
    return database;
  } catch {
    return null;
  }
}
