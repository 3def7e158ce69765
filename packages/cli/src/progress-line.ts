/** One line of progress on a terminal, which is rewritten. */
import type { ConvertProgress } from "@waggle/runtime/node";

/** Rewrites the line at most ten times a second, and only on a terminal. */
export function createProgressLine(): (progress: ConvertProgress) => void {
  let last = 0;
  return ({ step, doneBytes, totalBytes }) => {
    const now = performance.now();
    if (!process.stderr.isTTY || (now - last < 100 && doneBytes !== totalBytes)) return;
    last = now;
    const total = totalBytes === null ? "?" : (totalBytes / 1e6).toFixed(1);
    process.stderr.write(`\r${step} ${(doneBytes / 1e6).toFixed(1)} of ${total} MB `);
  };
}

export function endProgressLine(): void {
  if (process.stderr.isTTY) process.stderr.write("\n");
}
