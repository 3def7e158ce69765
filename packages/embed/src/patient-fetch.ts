/** A `fetch` that waits and retries once if the server answers 429. */
import { retryAfterMs, scheduleTimeout } from "@waggle/collector";
import type { Schedule } from "@waggle/collector";

/** Used if the response has no Retry-After header. */
const DEFAULT_WAIT_MS = 1000;

/**
 * Repeats a request that was answered with 429 after its wait, and returns the second response. The body can
 * be sent twice because it is text or bytes.
 */
export function patientFetch(
  once: typeof fetch,
  schedule: Schedule = scheduleTimeout,
): typeof fetch {
  return async (input, init) => {
    const response = await once(input, init);
    if (response.status !== 429) return response;
    await pause(retryAfterMs(response, Date.now()) ?? DEFAULT_WAIT_MS, schedule, init?.signal);
    return once(input, init);
  };
}

/** Waits. Resolves early if the signal is aborted; the following `fetch` then throws. */
function pause(
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
