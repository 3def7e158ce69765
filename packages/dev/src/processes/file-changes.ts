/** Notices that files have changed since a process read them. */
import { readFileSync } from "node:fs";
import { basename } from "node:path";

const INTERVAL_MS = 500;

/** Options of `FileChanges`. */
export type FileChangesOptions = {
  /** The files, which may be others after a change. */
  readonly files: () => readonly string[];
  /** Rejects if `signal` is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
};

/** Compares contents, because editors write files in different ways. */
export class FileChanges {
  readonly #options: FileChangesOptions;
  readonly #read = new Map<string, string | null>();

  constructor(options: FileChangesOptions) {
    this.#options = options;
  }

  /** Call it when a process starts to read the files. */
  mark(): void {
    // A file that a broken import hides stays watched.
    for (const file of [...this.#read.keys(), ...this.#options.files()]) {
      this.#read.set(file, contentOf(file));
    }
  }

  /** Resolves with a sentence once a file is not what it was at the mark, or when `signal` is aborted. */
  async untilChanged(signal: AbortSignal): Promise<string> {
    while (!signal.aborted) {
      for (const [file, content] of this.#read) {
        if (contentOf(file) !== content) return `${basename(file)} changed`;
      }
      await this.#options.sleep(INTERVAL_MS, signal).catch(() => undefined);
    }
    return "stopped";
  }
}

/** `null` while there is no such file. */
function contentOf(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}
