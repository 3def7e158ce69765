/**
 * Decides when to check for a newer policy: at an interval while the page is visible or busy, when the page
 * becomes visible again, and when the network comes back.
 */

/** Options of `watchPolicy`. */
export type PolicyWatchOptions = {
  /** Must prevent overlapping calls and handle its own failures. */
  readonly check: () => Promise<void>;
  /** 0 = only when the page becomes visible again. */
  readonly intervalMs: number;
  /** True while a hidden page should still follow the policy. */
  readonly isBusy: () => boolean;
};

/** Starts watching. @returns a function that stops it. */
export function watchPolicy(options: PolicyWatchOptions): () => void {
  const { check, intervalMs, isBusy } = options;
  const isSeen = (): boolean => globalThis.document?.visibilityState !== "hidden";
  let checking = false;
  const run = (): void => {
    if (checking) return;
    checking = true;
    void check().finally(() => {
      checking = false;
    });
  };
  const timer =
    intervalMs > 0
      ? setInterval(() => {
          if (isSeen() || isBusy()) run();
        }, intervalMs)
      : undefined;
  const onSeen = (): void => {
    if (isSeen()) run();
  };
  const targets: (readonly [EventTarget | undefined, string])[] = [
    [globalThis.document, "visibilitychange"],
    [globalThis.window, "focus"],
    [globalThis.window, "online"],
  ];
  for (const [target, type] of targets) target?.addEventListener(type, onSeen);
  return () => {
    clearInterval(timer);
    for (const [target, type] of targets) target?.removeEventListener(type, onSeen);
  };
}

/** Reports when the browser goes online or offline. @returns a function that stops it. */
export function watchNetwork(listener: (online: boolean) => void): () => void {
  const target: EventTarget | undefined = globalThis.window;
  const hear = (): void => listener(globalThis.navigator.onLine);
  for (const type of ["online", "offline"]) target?.addEventListener(type, hear);
  return () => {
    for (const type of ["online", "offline"]) target?.removeEventListener(type, hear);
  };
}
