/** One signal out of a caller's abort and a time limit, which remembers which of them came first. */

export type Deadline = {
  readonly signal: AbortSignal;
  /** Why the signal is aborted; `null` while it is not. */
  readonly reason: "aborted" | "timeout" | null;
  /** Stops the timer and lets go of the caller's signal. */
  release(): void;
};

/** `timeoutMs` 0 or Infinity sets no time limit. */
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
      clearTimeout(timer);
      outer?.removeEventListener("abort", onAbort);
    },
  };
}

/** `work`, or `null` as soon as the signal is aborted, whether or not the work notices. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | null> {
  let onAbort = (): void => undefined;
  const aborted = new Promise<null>((resolve) => {
    onAbort = () => resolve(null);
    if (signal.aborted) resolve(null);
    signal.addEventListener("abort", onAbort, { once: true });
  });
  // What the work throws after the abort belongs to nobody.
  work.catch(() => undefined);
  try {
    return await Promise.race([aborted, work]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
