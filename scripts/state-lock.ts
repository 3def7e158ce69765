/**
 * One Waggle per state folder. The lock is SQLite's, which the operating system releases when its process
 * ends in whatever way; beside it lies a note of the process and its addresses.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";

type Note = { readonly process: number; readonly addresses: readonly string[] };

export class StateLock {
  readonly #database: DatabaseSync;
  readonly #note: string;

  /**
   * Takes the lock of a state folder. Its files lie beside the folder, which may be emptied.
   * @throws Error with the addresses of the Waggle that has it.
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

  /** Notes the addresses that a second start is told. */
  tell(addresses: readonly string[]): void {
    const note: Note = { process: process.pid, addresses };
    // The dashboard's address holds the operator's credential.
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
  return `Waggle already runs on ${folder} (process ${id}): ${at}. Stop it first, or choose another folder with --state.`;
}
