/** Time limits for network requests that may never be answered. */
import { WaggleError } from "@waggle/protocol";

/** Like `setTimeout`, but returns a function that cancels the timer. Tests pass their own clock. */
export type Schedule = (run: () => void, delayMs: number) => () => void;

/** When a wait ends. */
export type TimeLimit = {
  /** Finite and above 0. */
  readonly limitMs: number;
  /** Ends the wait early, with its own reason. */
  readonly signal?: AbortSignal | null | undefined;
  /** Default `setTimeout`. */
  readonly schedule?: Schedule | undefined;
};

/**
 * The result of `work`, whose signal is aborted after the time limit. The wait ends at that time even if the work
 * continues; its later result is discarded.
 * @throws WaggleError `NETWORK`, retryable, after the time limit; the reason of `signal` if it aborts first.
 */
export async function withinTimeLimit<T>(
  { limitMs, signal, schedule = scheduleTimeout }: TimeLimit,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const ended = new Promise<never>((_resolve, reject) => {
    controller.signal.addEventListener("abort", () => reject(controller.signal.reason as Error));
  });
  const onAbort = (): void => controller.abort(signal?.reason);
  signal?.addEventListener("abort", onAbort);
  const cancel = schedule(() => {
    const message = `the edge did not answer within ${limitMs} ms`;
    controller.abort(new WaggleError("NETWORK", message, { retryable: true }));
  }, limitMs);
  try {
    return await Promise.race([work(controller.signal), ended]);
  } finally {
    cancel();
    signal?.removeEventListener("abort", onAbort);
  }
}

/** The default schedule, with `setTimeout`. */
export const scheduleTimeout: Schedule = (run, delayMs) => {
  const timer = setTimeout(run, delayMs);
  return () => clearTimeout(timer);
};
