/** Retries of failed requests: a few times, with increasing pauses, and not while offline. */
import type { WaggleError } from "@waggle/protocol";

/** How often and when to retry. */
export type RetryOptions = {
  /**
   * Maximum requests in a row without new bytes. Default 5; 3 if the server has never responded, so
   * that a wrong address or a server that is down is reported within two seconds.
   */
  readonly attempts?: number | undefined;
  /** Pause before the second request in milliseconds; doubles each time. Default 500. */
  readonly retryDelayMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
};

/** A request that returned no new bytes. */
export type FailedRequest = {
  readonly error: WaggleError;
  /** The pause that the server asks for. */
  readonly retryAfterMs: number;
  /** Whether this server has never responded. Absent if it has now, with a status. */
  readonly isUnreached?: boolean;
};

const ATTEMPTS = 5;
const UNREACHED_ATTEMPTS = 3;
const RETRY_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;

/**
 * Waits before the next request, or throws if there should be none.
 * @param failures - requests in a row without new bytes, 1 for the first.
 */
export async function waitToRetry(
  { error, retryAfterMs, isUnreached }: FailedRequest,
  failures: number,
  { attempts, retryDelayMs = RETRY_DELAY_MS, signal }: RetryOptions,
): Promise<void> {
  const most = attempts ?? (isUnreached === true ? UNREACHED_ATTEMPTS : ATTEMPTS);
  const isOffline = (globalThis.navigator as { onLine?: boolean }).onLine === false;
  if (!error.retryable || failures >= most || isOffline) throw error;
  // Random by a quarter, so that many pages do not retry at the same time.
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
