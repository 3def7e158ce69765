/**
 * The metrics of a run: `metrics.jsonl`, with a row per step, and TensorBoard event files on request.
 * Writing is asynchronous; a failed write throws at the next call of `settled`.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Scalars } from "./event-file.ts";
import { openEventWriter } from "./event-writer.ts";
import type { MetricsRow } from "@waggle/protocol";
import { createMetricsLog, type MetricsLog } from "./metrics-log.ts";

export const METRICS_FILE = "metrics.jsonl";

/** Stored metrics of one run. */
export type RunMetrics = {
  /** Stores a step's numbers. Consecutive calls with the same step make one row. */
  readonly step: (step: number, metrics: { readonly [name: string]: number }) => void;
  /**
   * Resolves when everything is written.
   * @throws the error of a failed write.
   */
  readonly settled: () => Promise<void>;
};

export type RunMetricsOptions = {
  readonly tensorboard: boolean;
  /**
   * Steps done by earlier processes, whose rows are kept. 0 = a new run; earlier rows are deleted.
   */
  readonly from: number;
};

export async function openRunMetrics(
  folder: string,
  { tensorboard, from }: RunMetricsOptions,
): Promise<RunMetrics> {
  const path = join(folder, METRICS_FILE);
  if (from === 0) await rm(path, { force: true });
  const log = await withTensorBoard(createMetricsLog(path), folder, { tensorboard, from });
  const waiting = new WritingQueue();
  let open: MetricsRow | null = null;
  const close = (): void => {
    const row = open;
    open = null;
    if (row !== null) waiting.add(() => log.append([row]));
  };
  return {
    step: (step, metrics) => {
      if (open?.step !== step) close();
      const at = new Date().toISOString();
      open = { step, at, metrics: { ...open?.metrics, ...metrics } };
    },
    settled: async () => {
      close();
      await waiting.settled();
    },
  };
}

/** The log, with an event file of the same rows beside it. */
export async function withTensorBoard(
  log: MetricsLog,
  folder: string,
  { tensorboard, from }: RunMetricsOptions,
): Promise<MetricsLog> {
  if (!tensorboard) return log;
  const events = await openEventWriter(folder, { from });
  let last = from === 0 ? -1 : from;
  return {
    append: async (rows) => {
      await log.append(rows);
      // Rows that are sent again are already in the file.
      for (const { step, metrics } of rows.filter((row) => row.step > last)) {
        await events.write(step, tagged("train", metrics));
        last = step;
      }
    },
  };
}

/** Values with the prefix `group/`, by which TensorBoard groups its charts. */
export function tagged(group: string, values: { readonly [name: string]: number }): Scalars {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [`${group}/${name}`, value]),
  );
}

/** Runs writes one after another, in order. */
export class WritingQueue {
  #last: Promise<void> = Promise.resolve();

  add(write: () => Promise<void>): void {
    this.#last = this.#last.then(write);
    // `settled` reports the error.
    this.#last.catch(() => {});
  }

  settled(): Promise<void> {
    return this.#last;
  }
}
