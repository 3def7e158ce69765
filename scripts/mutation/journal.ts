/** Results by key, appended as JSON lines. A later line replaces an earlier one with the same key. */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";

type Line<T> = { readonly key: string; readonly value: T };

/** A map that survives interruptions. */
export class Journal<T> {
  readonly #path: string | null;
  readonly #values = new Map<string, T>();

  /** @param path file of the lines; null keeps them in memory. */
  constructor(path: string | null) {
    this.#path = path;
    if (path === null || !existsSync(path)) return;
    for (const text of readFileSync(path, "utf8").split("\n")) {
      const line = parsed<T>(text);
      if (line !== null) this.#values.set(line.key, line.value);
    }
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
}

/** Null for the incomplete line that a killed run can leave. */
function parsed<T>(text: string): Line<T> | null {
  try {
    return text === "" ? null : (JSON.parse(text) as Line<T>);
  } catch {
    return null;
  }
}
