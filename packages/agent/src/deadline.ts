/** Combines a caller's abort signal with a time limit and reports which of the two came first. */

/** A signal that aborts on the caller's abort or after a time limit. */
export type Deadline = {
  readonly signal: AbortSignal;
  /** Why the signal is aborted; `null` while it is not. */
  readonly reason: "aborted" | "timeout" | null;
  /** Stops the timer and stops listening to the caller's signal. */
  release(): void;
};

/** Starts a deadline. A `timeoutMs` of 0 or Infinity sets no time limit. */
export function createDeadline(timeoutMs: number, outer?: AbortSignal): Deadline {
  const controller = new AbortController();
  let reason: Deadline["reason"] = null;
  const end = (why: "aborted" | "timeout"): void => {
    reason ??= why;
    controller.abort();
  };
  const onAbort = (): void => end("aborted");
  if (outer?.aborted) onAbort();
  outer?.addEventListener("abort", onAbort, { once: true });
  const timer =
    timeoutMs > 0 && Number.isFinite(timeoutMs)
      ? setTimeout(() => end("timeout"), timeoutMs)
      : undefined;
  return {
    signal: controller.signal,
    get reason() {
      return reason;
    },
    release: () => {
      if (timer !== undefined) clearTimeout(timer);
      outer?.removeEventListener("abort", onAbort);
    },
  };
}

/** The result of `work`, or `null` as soon as the signal aborts, even if the work keeps running. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | null> {
  let onAbort = (): void => undefined;
  const aborted = new Promise<null>((resolve) => {
    onAbort = () => resolve(null);
    if (signal.aborted) resolve(null);
    signal.addEventListener("abort", onAbort, { once: true });
  });
  // Ignores errors after the abort, when no one awaits the work any more.
  work.catch(() => undefined);
  try {
    return await Promise.race([aborted, work]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
