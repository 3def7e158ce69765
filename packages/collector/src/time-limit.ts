/** A wait that ends: for a network that takes a request and never answers. */
import { WaggleError } from "@waggle/protocol";

/** As `setTimeout`, but @returns what cancels it. A parameter, so that tests own the time. */
export type Schedule = (run: () => void, delayMs: number) => () => void;

export type TimeLimit = {
  /** Finite and above 0. */
  readonly limitMs: number;
  /** Ends the wait earlier, with its own reason. */
  readonly signal?: AbortSignal | null | undefined;
  /** Default `setTimeout`. */
  readonly schedule?: Schedule | undefined;
};

/**
 * What `work` gives; its signal is aborted when the time is over. The wait ends then even where the work
 * does not notice, and what it gives later belongs to nobody.
 * @throws WaggleError `NETWORK`, retryable, when the time is over; the reason of `signal` when that came first.
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
    const message = `the edge must answer within ${limitMs} ms, got no answer; try again later`;
    controller.abort(new WaggleError("NETWORK", message, { retryable: true }));
  }, limitMs);
  try {
    return await Promise.race([work(controller.signal), ended]);
  } finally {
    cancel();
    signal?.removeEventListener("abort", onAbort);
  }
}

export const scheduleTimeout: Schedule = (run, delayMs) => {
  const timer = setTimeout(run, delayMs);
  return () => clearTimeout(timer);
};
