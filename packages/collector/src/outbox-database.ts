/** The IndexedDB schema of the outbox. Entries and bodies are separate, so that listing reads no bodies. */
import type { DBSchema, IDBPDatabase, openDB } from "idb";
import type { Trajectory } from "@waggle/protocol";
import type { FeedbackOrOutcome } from "./feedback-or-outcome.ts";
import type { OutboxEntry } from "./outbox-entry.ts";

/** `claimedUntil`: end of a tab's claim in milliseconds since 1970; 0 = not claimed. */
export type StoredEntry = OutboxEntry & { readonly claimedUntil: number };

/** Feedback or an outcome as stored. */
export type StoredFeedback = {
  readonly id: string;
  readonly feedback: FeedbackOrOutcome;
  readonly enqueuedAt: number;
  readonly claimedUntil: number;
};

/** Object stores of the database. */
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

/** Opens the database; `null` if the browser provides none (private mode, blocked site data). */
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
      // Lets another tab with a newer schema open the database.
      blocking: () => database.close(),
    });
    return database;
  } catch {
    return null;
  }
}
