/**
 * Allows one trainer at a time in a state folder. The lock is SQLite's exclusive file lock. The
 * operating system releases it whenever the process ends, so no lock outlives its owner.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { WaggleError } from "@waggle/protocol";

export type StateLockOptions = {
  /** Wait for another trainer to end; default: refuse. */
  readonly waits?: boolean | undefined;
  /** Resolves after that many milliseconds, or as soon as the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
  /** Called once, before waiting. */
  readonly onWait: (message: string) => void;
};

const LOCK_FILE = "lock.sqlite";
/** Contains the owner's process id for the message; the lock itself is on the other file. */
const HOLDER_FILE = "lock.pid";
const POLL_MS = 500;

/**
 * Takes the lock of an existing folder.
 * @returns a function that releases it
 * @throws WaggleError `CONFLICT` if another trainer has it, or on an abort while waiting
 */
export async function lockState(folder: string, options: StateLockOptions): Promise<() => void> {
  const { waits = false, sleep, signal, onWait } = options;
  for (let hasTold = false; ; hasTold = true) {
    const release = tryLock(join(folder, LOCK_FILE));
    if (release !== null) {
      await writeFile(join(folder, HOLDER_FILE), String(process.pid));
      return release;
    }
    const holder = await readFile(join(folder, HOLDER_FILE), "utf8").catch(() => "unknown");
    const message = `another trainer (process ${holder}) uses the state folder ${folder}`;
    if (!waits || signal.aborted) {
      throw new WaggleError(
        "CONFLICT",
        `${message}; stop it, wait for it with --wait, or name another --state folder`,
      );
    }
    if (!hasTold) onWait(message);
    await sleep(POLL_MS, signal);
  }
}

/** SQLite's result code for a lock of another connection. */
const BUSY = 5;

function tryLock(file: string): (() => void) | null {
  const database = new DatabaseSync(file);
  try {
    database.exec("BEGIN EXCLUSIVE");
    return () => database.close();
  } catch (error) {
    database.close();
    if ((error as { errcode?: unknown }).errcode === BUSY) return null;
    throw error;
  }
}
