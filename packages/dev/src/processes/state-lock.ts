/**
 * Allows one Waggle per state folder. The lock is SQLite's, which the operating system releases however its process ends.
 * A note beside it names the process and its addresses.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";

type Note = { readonly process: number; readonly addresses: readonly string[] };

/** A held lock. */
export class StateLock {
  readonly #database: DatabaseSync;
  readonly #note: string;

  /**
   * Locks a state folder. The lock's files are beside the folder, because the folder may be emptied.
   * @throws Error with the addresses of the Waggle that holds the lock.
   */
  constructor(folder: string) {
    mkdirSync(dirname(folder), { recursive: true });
    this.#note = `${folder}.running.json`;
    this.#database = new DatabaseSync(`${folder}.lock`);
    try {
      this.#database.exec("BEGIN EXCLUSIVE");
    } catch (cause) {
      this.#database.close();
      throw new Error(refusalOf(folder, this.#note), { cause });
    }
    this.tell([]);
  }

  /** Writes the addresses that a second start reports. */
  tell(addresses: readonly string[]): void {
    const note: Note = { process: process.pid, addresses };
    // The dashboard's address contains the operator's credential.
    writeFileSync(this.#note, JSON.stringify(note), { mode: 0o600 });
  }

  release(): void {
    if (!this.#database.isOpen) return;
    rmSync(this.#note, { force: true });
    this.#database.close();
  }
}

function refusalOf(folder: string, file: string): string {
  const { process: id, addresses }: Note = existsSync(file)
    ? (JSON.parse(readFileSync(file, "utf8")) as Note)
    : { process: 0, addresses: [] };
  const at = addresses.length === 0 ? "its addresses are not ready yet" : addresses.join(", ");
  return `Waggle is already running with ${folder} (process ${id}): ${at}. Stop it first, or choose another folder with --state.`;
}
