/** A metrics log as JSON lines: one row per optimizer step, each step once. */
import { appendFile, mkdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { MetricsRow } from "@waggle/protocol";

/** An append-only log of metrics, safe against repeated rows. */
export interface MetricsLog {
  /** Appends the rows whose step is not in the file yet. */
  append(rows: readonly MetricsRow[]): Promise<void>;
}

/** Opens a log at this path; the file is created with its first row. */
export function createMetricsLog(path: string): MetricsLog {
  let lastStep: number | null = null;
  return {
    async append(rows) {
      lastStep ??= await readLastStep(path);
      const fresh = rows.filter(({ step }) => step > (lastStep as number));
      if (fresh.length === 0) return;
      await mkdir(dirname(path), { recursive: true });
      await appendFile(path, fresh.map((row) => `${JSON.stringify(row)}\n`).join(""));
      lastStep = (fresh.at(-1) as MetricsRow).step;
    },
  };
}

/**
 * The step of the last complete line, -1 without one. A line cut by a crash gets a line end, so that
 * the next row is complete.
 */
async function readLastStep(path: string): Promise<number> {
  const text = await readFile(path, "utf8").catch(() => "");
  if (text !== "" && !text.endsWith("\n")) await appendFile(path, "\n");
  for (const line of text.split("\n").reverse()) {
    try {
      const { step } = JSON.parse(line) as { step?: unknown };
      if (typeof step === "number") return step;
    } catch {
      // Not a complete row.
    }
  }
  return -1;
}
