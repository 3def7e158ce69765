/**
 * Finished runs, one JSON object per line, appended as they finish, so that an interrupted table
 * can be resumed. A truncated last line is ignored. Does not choose the runs.
 */
import { appendFile, mkdir, readFile, truncate } from "node:fs/promises";
import { dirname } from "node:path";
import { WaggleError } from "@waggle/protocol";
import type { FailedRun, Outcome, RunRecord } from "./arm.ts";
import {
  readByTemperature,
  storedByTemperature,
  type StoredByTemperature,
} from "../evaluation/temperature.ts";

/** On disk, outcomes are one digit per task. */
type StoredOutcome = Omit<Outcome, "successes"> & { readonly successes: string };
type StoredRecord = Omit<RunRecord, "base" | "final" | "byTemperature"> & {
  readonly base: StoredOutcome;
  readonly final: StoredOutcome;
  readonly byTemperature?: StoredByTemperature;
};

/** An append-only log of runs, by key. */
export type RunLog = {
  readonly records: ReadonlyMap<string, RunRecord>;
  readonly failures: ReadonlyMap<string, FailedRun>;
  readonly append: (run: RunRecord | FailedRun) => Promise<void>;
};

/** @throws WaggleError `INVALID_ARGUMENT` for an invalid line before the last. */
export async function openRunLog(path: string): Promise<RunLog> {
  const records = new Map<string, RunRecord>();
  const failures = new Map<string, FailedRun>();
  const keep = (run: RunRecord | FailedRun): void => {
    if ("error" in run) failures.set(run.key, run);
    else {
      records.set(run.key, run);
      failures.delete(run.key);
    }
  };
  const text = await readFile(path, "utf8").catch(() => "");
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  for (const [at, line] of whole.split("\n").entries()) {
    if (line !== "") keep(parsed(line, path, at + 1));
  }
  if (whole.length < text.length) await truncate(path, Buffer.byteLength(whole));
  return {
    records,
    failures,
    append: async (run) => {
      await mkdir(dirname(path), { recursive: true });
      await appendFile(path, `${JSON.stringify("error" in run ? run : stored(run))}\n`);
      keep(run);
    },
  };
}

function stored({ base, final, byTemperature, ...record }: RunRecord): StoredRecord {
  const measured =
    byTemperature === undefined ? {} : { byTemperature: storedByTemperature(byTemperature) };
  return { ...record, base: digits(base), final: digits(final), ...measured };
}

function digits({ successes, ...others }: Outcome): StoredOutcome {
  return { ...others, successes: successes.map((one) => (one ? "1" : "0")).join("") };
}

function parsed(line: string, path: string, number: number): RunRecord | FailedRun {
  let value: StoredRecord | FailedRun;
  try {
    value = JSON.parse(line) as StoredRecord | FailedRun;
  } catch (error) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `${path}:${number} is not a JSON object; remove the line`,
      { cause: error },
    );
  }
  if ("error" in value) return value;
  const { base, final, byTemperature, ...record } = value;
  const measured =
    byTemperature === undefined ? {} : { byTemperature: readByTemperature(byTemperature) };
  return { ...record, base: read(base), final: read(final), ...measured };
}

function read({ successes, ...others }: StoredOutcome): Outcome {
  return { ...others, successes: Array.from(successes, (digit) => digit === "1") };
}
