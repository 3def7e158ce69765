/**
 * Metrics of all steps seen so far. A trainer that resumes repeats its last steps, so each request asks for
 * some of the last steps again.
 */
import type { MetricsRow } from "@waggle/protocol";

/** Number of steps to request again. */
const OVERLAP = 50;

/** Merged metrics, and the step to request next. */
export class MetricHistory {
  readonly #rows = new Map<number, MetricsRow>();

  /** Last step to skip in the next request; `undefined` requests everything. */
  get after(): number | undefined {
    const last = this.rows.at(-1);
    return last === undefined ? undefined : Math.max(-1, last.step - OVERLAP);
  }

  /** Rows in ascending order of step. */
  get rows(): readonly MetricsRow[] {
    return [...this.#rows.values()].sort((a, b) => a.step - b.step);
  }

  add(rows: readonly MetricsRow[]): void {
    for (const row of rows) this.#rows.set(row.step, row);
  }
}
