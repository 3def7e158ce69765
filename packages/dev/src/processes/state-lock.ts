/**
 * Allows one Waggle per state folder. A note beside the lock names the process and its addresses.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tryLock } from "./file-lock.ts";

type Note = { readonly process: number; readonly addresses: readonly string[] };

/** A held lock. */
export class StateLock {
  #unlock: (() => void) | undefined;
  readonly #note: string;

  /**
   * Locks a state folder. The lock's files are beside the folder, because the folder may be emptied.
   * @throws Error with the addresses of the Waggle that holds the lock.
   */
  constructor(folder: string) {
    this.#note = `${folder}.running.json`;
    this.#unlock = tryLock(`${folder}.lock`);
    if (this.#unlock === undefined) throw new Error(refusalOf(folder, this.#note));
    this.tell([]);
  }

  /** Writes the addresses that a second start reports. */
  tell(addresses: readonly string[]): void {
    const note: Note = { process: process.pid, addresses };
    // The dashboard's address contains the operator's credential.
    writeFileSync(this.#note, JSON.stringify(note), { mode: 0o600 });
  }

  release(): void {
    if (this.#unlock === undefined) return;
    rmSync(this.#note, { force: true });
    this.#unlock();
    this.#unlock = undefined;
  }
}

function refusalOf(folder: string, file: string): string {
  const { process: id, addresses }: Note = existsSync(file)
    ? (JSON.parse(readFileSync(file, "utf8")) as Note)
    : { process: 0, addresses: [] };
  const at = addresses.length === 0 ? "its addresses are not ready yet" : addresses.join(", ");
  return `Waggle is already running with ${folder} (process ${id}): ${at}. Stop it first, or choose another folder with --state.`;
}
