/** How requests that failed are tried again: a few times, with growing pauses, and not offline. */
import type { WaggleError } from "@waggle/protocol";

export type RetryOptions = {
  /** Requests in a row that bring nothing new before it is given up. Default 5. */
  readonly attempts?: number | undefined;
  /** Before the second of them, in milliseconds; doubles each time. Default 500. */
  readonly retryDelayMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
};

const ATTEMPTS = 5;
const RETRY_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;

/**
 * Waits before the next request, or throws where there shall be none.
 * @param failures - requests in a row that brought nothing, 1 for the first.
 * @param retryAfterMs - what the server asks for.
 */
export async function waitToRetry(
  error: WaggleError,
  failures: number,
  retryAfterMs: number,
  { attempts = ATTEMPTS, retryDelayMs = RETRY_DELAY_MS, signal }: RetryOptions,
): Promise<void> {
  const isOffline = (globalThis.navigator as { onLine?: boolean }).onLine === false;
  if (!error.retryable || failures >= attempts || isOffline) throw error;
  // A quarter of chance, so that many pages do not come back at once.
  const delay = retryDelayMs * 2 ** (failures - 1) * (0.875 + Math.random() / 4);
  await sleep(Math.min(MAX_DELAY_MS, Math.max(delay, retryAfterMs)), signal);
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    if (signal?.aborted === true) onAbort();
    else signal?.addEventListener("abort", onAbort, { once: true });
  });
}
