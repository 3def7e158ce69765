/**
 * When to ask for a newer policy: at an interval while the page is seen or works, and when it is seen again; and
 * when the network comes and goes.
 */

export type PolicyWatchOptions = {
  /** Must not overlap itself; its failures are its own business. */
  readonly check: () => Promise<void>;
  /** 0 = only when asked or seen again. */
  readonly intervalMs: number;
  /** True while the page should follow policies although nobody looks at it. */
  readonly isBusy: () => boolean;
};

/** Starts watching. @returns what ends it. */
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

/** Calls back when the browser gains or loses its network. @returns what ends it. */
export function watchNetwork(listener: (online: boolean) => void): () => void {
  const target: EventTarget | undefined = globalThis.window;
  const hear = (): void => listener(globalThis.navigator.onLine);
  for (const type of ["online", "offline"]) target?.addEventListener(type, hear);
  return () => {
    for (const type of ["online", "offline"]) target?.removeEventListener(type, hear);
  };
}
