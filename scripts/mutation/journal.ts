/** Results by key, appended as JSON lines. A later line replaces an earlier one with the same key. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

type Line<T> = { readonly key: string; readonly value: T };

/** A map that survives interruptions. */
export class Journal<T> {
  readonly #path: string | null;
  readonly #values = new Map<string, T>();

  /** @param path file of the lines; null keeps them in memory. */
  constructor(path: string | null) {
    this.#path = path;
    this.#read();
  }

  get(key: string): T | undefined {
    return this.#values.get(key);
  }

  add(key: string, value: T): void {
    this.#values.set(key, value);
    if (this.#path === null) return;
    mkdirSync(dirname(this.#path), { recursive: true });
    appendFileSync(this.#path, `${JSON.stringify({ key, value })}\n`);
  }

  /** Rewrites the file with one line for each of these keys, in this order, and forgets the others. */
  keep(keys: readonly string[]): void {
    // Another process may have added lines.
    this.#read();
    const kept = keys.flatMap((key): [string, T][] => {
      const value = this.#values.get(key);
      return value === undefined ? [] : [[key, value]];
    });
    this.#values.clear();
    for (const [key, value] of kept) this.#values.set(key, value);
    if (this.#path === null) return;
    const lines = kept.map(([key, value]) => `${JSON.stringify({ key, value })}\n`);
    writeFileSync(this.#path, lines.join(""));
  }

  #read(): void {
    if (this.#path === null || !existsSync(this.#path)) return;
    for (const text of readFileSync(this.#path, "utf8").split("\n")) {
      const line = parsed<T>(text);
      if (line !== null) this.#values.set(line.key, line.value);
    }
  }
}

/** Null for the incomplete line that a killed run can leave. */
function parsed<T>(text: string): Line<T> | null {
  try {
    return text === "" ? null : (JSON.parse(text) as Line<T>);
  } catch {
    return null;
  }
}
