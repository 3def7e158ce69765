/**
 * A lock between processes. It is SQLite's lock of a file, which the operating system releases however its holder ends.
 */
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";

/** SQLite's code for a file that another holds, of https://www.sqlite.org/rescode.html */
const SQLITE_BUSY = 5;

/** Locks a file, which it creates, and returns what releases it. Undefined if another holds the lock. */
export function tryLock(file: string): (() => void) | undefined {
  mkdirSync(dirname(file), { recursive: true });
  const database = new DatabaseSync(file);
  try {
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    return undefined;
  }
  return () => database.close();
}

/** Waits for the lock of a file, and holds it during `work`. */
export async function withLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  let release = tryLock(file);
  for (; release === undefined; release = tryLock(file)) await sleep(100);
  try {
    return await work();
  } finally {
    release();
  }
}
