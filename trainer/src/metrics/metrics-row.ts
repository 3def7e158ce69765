/**
 * The rows of `metrics.jsonl`, the log of every training command: one JSON object per line. Reads the present
 * format and both of earlier releases. It does not write; `metrics-log.ts` does.
 */
import { isObject, WaggleError } from "@waggle/protocol";
import { z } from "zod";
import { earlierRows } from "./earlier-rows.ts";
import { count, type LoggedRow, measured } from "./logged-row.ts";
import { Spent } from "./spent.ts";

/** Rows of earlier releases have no version. */
const FORMAT_VERSION = 2;

const StoredRow = z.strictObject({
  formatVersion: z.literal(FORMAT_VERSION),
  event: z.enum(["step", "evaluated"]),
  step: count,
  at: z.iso.datetime().nullable(),
  metrics: z.record(z.string(), measured),
  stage: z.string().optional(),
  stageStep: count.optional(),
  stageSteps: count.optional(),
  spent: Spent.optional(),
  successes: z.array(z.boolean()).optional(),
});

/** The row as a line of the log. */
export function lineOf(row: LoggedRow): string {
  return `${JSON.stringify({ formatVersion: FORMAT_VERSION, ...row })}\n`;
}

/**
 * The rows of a log. Lines that a crash cut off are left out.
 *
 * @param path - of the log, for errors.
 * @throws WaggleError `SCHEMA_VERSION_UNSUPPORTED` if a later release wrote a row, `SCHEMA_INVALID` for a
 *   line that is not a row.
 */
export function loggedRows(text: string, path: string): LoggedRow[] {
  const rows: LoggedRow[] = [];
  for (const [i, line] of text.split("\n").entries()) {
    const value = parsed(line);
    if (value === undefined) continue;
    if (isObject(value) && typeof value["formatVersion"] === "number") {
      requireKnown(value["formatVersion"], path);
      const read = StoredRow.safeParse(value);
      if (!read.success) throw invalid(path, i + 1, read.error);
      const { formatVersion: _, ...row } = read.data;
      rows.push(row);
      continue;
    }
    const stepsDone = rows.at(-1)?.step ?? 0;
    const read = earlierRows(value, stepsDone);
    if (!read.success) throw invalid(path, i + 1, read.error);
    rows.push(...read.data);
  }
  return rows;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}

function requireKnown(version: number, path: string): void {
  if (version <= FORMAT_VERSION) return;
  throw new WaggleError(
    "SCHEMA_VERSION_UNSUPPORTED",
    `the metrics in ${path} have version ${version}; this release reads up to ${FORMAT_VERSION}. Update it, or move the file away`,
  );
}

function invalid(path: string, line: number, { issues: [issue] }: z.ZodError): WaggleError {
  return new WaggleError(
    "SCHEMA_INVALID",
    `every line of ${path} must be a row of metrics, got ${issue?.path.join(".") ?? ""} (${issue?.message ?? ""}) at line ${line}; move the file away`,
  );
}
