/**
 * Writes the metrics of a run: `metrics.jsonl`, and the same numbers as TensorBoard event files on request.
 * All training commands use it. Writing is asynchronous; a failed write throws at the next call of
 * `settled`.
 */
import { appendFile, mkdir, open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { writeDurably } from "../files/durable-file.ts";
import type { Scalars } from "./event-file.ts";
import { openEventWriter } from "./event-writer.ts";
import type { LoggedRow } from "./logged-row.ts";
import { lineOf, loggedRows } from "./metrics-row.ts";

const METRICS_FILE = "metrics.jsonl";

/** The log of one run. */
export type MetricsLog = {
  /** Writes a row in the background, unless the log has it. `at` is the present time by default. */
  readonly add: (row: Omit<LoggedRow, "at"> & { readonly at?: string }) => void;
  /**
   * Resolves when all rows would survive a crash.
   * @throws the error of a failed write.
   */
  readonly settled: () => Promise<void>;
};

export type MetricsLogOptions = {
  /** Whether to write TensorBoard event files; default not. */
  readonly tensorboard?: boolean | undefined;
  /**
   * The step from which the run continues; later rows in the folder are deleted. `null` = a new run; all rows
   * are deleted.
   */
  readonly from: number | null;
};

/**
 * Opens the log of a folder, and rewrites rows of earlier releases.
 * @throws WaggleError `SCHEMA_VERSION_UNSUPPORTED` or `SCHEMA_INVALID` if a run continues and its log cannot
 *   be read.
 */
export async function openMetricsLog(
  folder: string,
  { tensorboard = false, from }: MetricsLogOptions,
): Promise<MetricsLog> {
  const path = join(folder, METRICS_FILE);
  const found = await readFile(path, "utf8").catch(() => "");
  const kept = from === null ? [] : loggedRows(found, path).filter(({ step }) => step <= from);
  const text = kept.map(lineOf).join("");
  await mkdir(folder, { recursive: true });
  if (text !== found) await writeDurably(folder, METRICS_FILE, new TextEncoder().encode(text));
  const curves = tensorboard ? await openEventWriter(folder, { from: from ?? 0 }) : null;
  const isNew = newRows(kept);
  let last: Promise<void> = Promise.resolve();
  let isSynced = true;
  const queue = (write: () => Promise<void>): void => {
    last = last.then(write);
    // `settled` reports the error.
    last.catch(() => {});
  };
  return {
    add: (given) => {
      const row = { ...given, at: given.at ?? new Date().toISOString() };
      if (!isNew(row)) return;
      isSynced = false;
      queue(() => appendFile(path, lineOf(row)));
      if (curves !== null) queue(() => curves.write(row.step, scalarsOf(row)));
    },
    settled: async () => {
      await last;
      if (isSynced) return;
      isSynced = true;
      const file = await open(path, "r+");
      try {
        await file.sync();
      } finally {
        await file.close();
      }
    },
  };
}

/** Tells rows that the log has from new ones. A step and a stage's evaluation after it are one row each. */
function newRows(kept: readonly LoggedRow[]): (row: LoggedRow) => boolean {
  let newest = -1;
  const ofNewest = new Set<string>();
  const isNew = ({ event, step, stage = "" }: LoggedRow): boolean => {
    if (step < newest) return false;
    if (step > newest) ofNewest.clear();
    newest = step;
    const key = `${event} ${stage}`;
    if (ofNewest.has(key)) return false;
    ofNewest.add(key);
    return true;
  };
  for (const row of kept) isNew(row);
  return isNew;
}

/** Each stage has its own group of charts; loops without stages have the group `train`. */
function scalarsOf({ event, stage = "train", metrics, spent }: LoggedRow): Scalars {
  if (event === "evaluated") return tagged("heldOut", metrics);
  return { ...tagged(stage, metrics), ...tagged("spent", { ...spent }) };
}

/** Values with the prefix `group/`, by which TensorBoard groups its charts. */
function tagged(group: string, values: { readonly [name: string]: number }): Scalars {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [`${group}/${name}`, value]),
  );
}
