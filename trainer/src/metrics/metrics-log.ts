/** Metrics as JSON lines, one row an optimizer step, each step once. */
import { appendFile, mkdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { MetricsRow } from "@waggle/protocol";

export interface MetricsLog {
  /** Appends the rows whose step the file does not hold yet. */
  append(rows: readonly MetricsRow[]): Promise<void>;
}

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

/** The step of the last whole line, -1 without one; a line cut by a crash is ended, so that the next one is whole. */
async function readLastStep(path: string): Promise<number> {
  const text = await readFile(path, "utf8").catch(() => "");
  if (text !== "" && !text.endsWith("\n")) await appendFile(path, "\n");
  for (const line of text.split("\n").reverse()) {
    try {
      const { step } = JSON.parse(line) as { step?: unknown };
      if (typeof step === "number") return step;
    } catch {
      // Not a whole row.
    }
  }
  return -1;
}
