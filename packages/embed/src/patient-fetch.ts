/** A `fetch` that takes "too many requests" for what it is: a wait, not a failure. */
import { retryAfterMs, scheduleTimeout } from "@waggle/collector";
import type { Schedule } from "@waggle/collector";

/** Where the edge does not say how long. */
const DEFAULT_WAIT_MS = 1000;

/**
 * A call that is answered with 429 is made again once its wait is over; the second answer stands. Nothing
 * reads a body twice: bodies are text or bytes.
 */
export function patientFetch(
  once: typeof fetch,
  schedule: Schedule = scheduleTimeout,
): typeof fetch {
  return async (input, init) => {
    const response = await once(input, init);
    if (response.status !== 429) return response;
    await waited(retryAfterMs(response, Date.now()) ?? DEFAULT_WAIT_MS, schedule, init?.signal);
    return once(input, init);
  };
}

/** Ends early, without a word, where the signal is aborted: the next `fetch` says so. */
function waited(
  delayMs: number,
  schedule: Schedule,
  signal: AbortSignal | null | undefined,
): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      cancel();
      signal?.removeEventListener("abort", finish);
      resolve();
    };
    const cancel = schedule(finish, delayMs);
    signal?.addEventListener("abort", finish);
    if (signal?.aborted) finish();
  });
}
