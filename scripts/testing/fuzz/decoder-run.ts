/** Decodes many inputs with limits of time and memory for each. */
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { DecoderDefect, DecoderWork } from "./decoder-thread.ts";

/** Longest time for one input. The machine may be busy with other work. */
const MOST_MS = 10_000;
/** Largest heap of the thread, and largest growth of the process. */
const HEAP_MB = 512;
const GROWTH_BYTES = 1024 * 1024 * 1024;
const POLL_MS = 250;
/** Instead of an index: the thread still loads its modules. */
const LOADING = -1;

/** The inputs `from` ≤ index < `to` of one decoder. */
type DecoderRange = Omit<DecoderWork, "at">;

/**
 * Decodes a range. An input that hangs, ends the thread or takes too much memory is a defect, and the run goes on with
 * the next one.
 *
 * @param onProgress - receives the index reached, several times a second.
 * @throws Error if the thread does not start.
 */
export async function runDecoder(
  range: DecoderRange,
  onProgress: (index: number) => void,
): Promise<DecoderDefect[]> {
  const defects: DecoderDefect[] = [];
  let { from } = range;
  while (from < range.to) {
    const ended = await runThread({ ...range, from }, defects, onProgress);
    if (ended.what !== null) defects.push({ index: ended.index, what: ended.what });
    from = ended.what === null ? range.to : ended.index + 1;
  }
  return defects;
}

/** Where a thread ended, and why; `null` at the end of its range. */
type Ended = { readonly index: number; readonly what: string | null };

function runThread(
  range: DecoderRange,
  defects: DecoderDefect[],
  onProgress: (index: number) => void,
): Promise<Ended> {
  const at = new Int32Array(new SharedArrayBuffer(4)).fill(LOADING);
  const thread = new Worker(join(import.meta.dirname, "decoder-thread.ts"), {
    workerData: { ...range, at } satisfies DecoderWork,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    stderr: true,
  });
  // Libraries print warnings about odd files.
  thread.stderr.resume();
  const before = process.memoryUsage.rss();
  return new Promise((resolve, reject) => {
    let seen = -1;
    let since = Date.now();
    let stopped: string | null = null;
    const end = (what: string | null): void => {
      clearInterval(timer);
      const index = Atomics.load(at, 0);
      if (index === LOADING) reject(new Error(`the decoder's thread did not start: ${what}`));
      else resolve({ index, what });
    };
    const stop = (what: string): void => {
      stopped ??= what;
      void thread.terminate();
    };
    const timer = setInterval(() => {
      const index = Atomics.load(at, 0);
      if (index === LOADING) return;
      onProgress(index);
      if (index !== seen) [seen, since] = [index, Date.now()];
      else if (Date.now() - since > MOST_MS) stop(`took more than ${MOST_MS} ms`);
      if (process.memoryUsage.rss() - before > GROWTH_BYTES) {
        stop(`the process grew by more than ${GROWTH_BYTES} bytes`);
      }
    }, POLL_MS);
    thread.on("message", (defect: DecoderDefect) => defects.push(defect));
    thread.on("error", (error) => (stopped ??= `ended the thread: ${error.message}`));
    thread.on("exit", () => end(stopped));
  });
}
