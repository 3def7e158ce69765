/**
 * The metrics of a run: `metrics.jsonl`, a row for each step, and TensorBoard's event files where they are asked
 * for. Writing goes on beside the run; a failure ends it at the next look.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Scalars } from "./event-file.ts";
import { openEventWriter } from "./event-writer.ts";
import type { MetricsRow } from "@waggle/protocol";
import { createMetricsLog, type MetricsLog } from "./metrics-log.ts";

export const METRICS_FILE = "metrics.jsonl";

export type RunMetrics = {
  /** Keeps one step's numbers; those of one step given in turn are one row. */
  readonly step: (step: number, metrics: { readonly [name: string]: number }) => void;
  /** Resolves when all is written. @throws what writing failed with. */
  readonly settled: () => Promise<void>;
};

export type RunMetricsOptions = {
  readonly tensorboard: boolean;
  /** Steps that an earlier process did, whose rows stay. 0 = the run begins and earlier rows go. */
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

/** The log, and beside it an event file with the same rows. */
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
      // Rows that are sent again are in the file.
      for (const { step, metrics } of rows.filter((row) => row.step > last)) {
        await events.write(step, tagged("train", metrics));
        last = step;
      }
    },
  };
}

/** Names below a common one, as TensorBoard groups its charts. */
export function tagged(group: string, values: { readonly [name: string]: number }): Scalars {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [`${group}/${name}`, value]),
  );
}

/** Writes one after another, in order. */
export class WritingQueue {
  #last: Promise<void> = Promise.resolve();

  add(write: () => Promise<void>): void {
    this.#last = this.#last.then(write);
    // Seen by `settled`.
    this.#last.catch(() => {});
  }

  settled(): Promise<void> {
    return this.#last;
  }
}
