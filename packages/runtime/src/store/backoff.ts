/** How requests that failed are tried again: a few times, with growing pauses, and not offline. */
import type { WaggleError } from "@waggle/protocol";

export type RetryOptions = {
  /**
   * Requests in a row that bring nothing new before it is given up. Default 5; 3 where the server has
   * never answered: an address that is wrong, or a server that is down, is said within two seconds.
   */
  readonly attempts?: number | undefined;
  /** Before the second of them, in milliseconds; doubles each time. Default 500. */
  readonly retryDelayMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
};

/** A request that brought nothing. */
export type FailedRequest = {
  readonly error: WaggleError;
  /** What the server asks for. */
  readonly retryAfterMs: number;
  /** Nothing has ever come from this server. */
  readonly isUnreached?: boolean;
};

const ATTEMPTS = 5;
const UNREACHED_ATTEMPTS = 3;
const RETRY_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;

/**
 * Waits before the next request, or throws where there shall be none.
 * @param failures - requests in a row that brought nothing, 1 for the first.
 */
export async function waitToRetry(
  { error, retryAfterMs, isUnreached }: FailedRequest,
  failures: number,
  { attempts, retryDelayMs = RETRY_DELAY_MS, signal }: RetryOptions,
): Promise<void> {
  const most = attempts ?? (isUnreached === true ? UNREACHED_ATTEMPTS : ATTEMPTS);
  const isOffline = (globalThis.navigator as { onLine?: boolean }).onLine === false;
  if (!error.retryable || failures >= most || isOffline) throw error;
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
