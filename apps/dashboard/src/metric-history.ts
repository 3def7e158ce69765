/**
 * Metrics of all steps seen so far. A trainer that resumes does its last steps again, so a few of them
 * are always asked for once more.
 */
import type { MetricsRow } from "@waggle/protocol";

/** Steps that are asked for again. */
const OVERLAP = 50;

export class MetricHistory {
  readonly #rows = new Map<number, MetricsRow>();

  /** What to ask for next, `undefined` for everything. */
  get after(): number | undefined {
    const last = this.rows.at(-1);
    return last === undefined ? undefined : Math.max(-1, last.step - OVERLAP);
  }

  /** Ascending by step. */
  get rows(): readonly MetricsRow[] {
    return [...this.#rows.values()].sort((a, b) => a.step - b.step);
  }

  add(rows: readonly MetricsRow[]): void {
    for (const row of rows) this.#rows.set(row.step, row);
  }
}
