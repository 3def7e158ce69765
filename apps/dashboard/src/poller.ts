/**
 * Asks again and again while the page is visible, and says how it stands: loading, live, or failing
 * with what was last known. Backs off while the edge does not answer.
 */

export type PollState<T> = {
  /** The last answer, `null` before the first. */
  readonly data: T | null;
  /** Why the last attempt failed, `null` when it did not. */
  readonly error: unknown;
  /** When `data` came, ms; 0 before. */
  readonly at: number;
};

export type PollerOptions<T> = {
  readonly ask: () => Promise<T>;
  readonly onState: (state: PollState<T>) => void;
  /** Between answers, ms. */
  readonly intervalMs: number;
  /** Longest pause while failing, ms. */
  readonly longestMs: number;
  readonly now: () => number;
  readonly setTimer: (fn: () => void, ms: number) => () => void;
  /** False pauses polling; `resume` goes on. */
  readonly isVisible: () => boolean;
};

export interface Poller {
  /** Asks now, unless it is asking. */
  refresh(): Promise<void>;
  stop(): void;
}

/** Starts at once. */
export function createPoller<T>(options: PollerOptions<T>): Poller {
  let state: PollState<T> = { data: null, error: null, at: 0 };
  let asking: Promise<void> | null = null;
  let cancelTimer = () => {};
  let stopped = false;
  let failures = 0;

  async function attempt(): Promise<void> {
    try {
      const data = await options.ask();
      failures = 0;
      state = { data, error: null, at: options.now() };
    } catch (error) {
      failures += 1;
      state = { ...state, error };
    }
    if (stopped) return;
    options.onState(state);
    const pause = Math.min(options.intervalMs * 2 ** failures, options.longestMs);
    cancelTimer = options.setTimer(tick, pause);
  }

  function refresh(): Promise<void> {
    cancelTimer();
    asking ??= attempt().finally(() => {
      asking = null;
    });
    return asking;
  }

  function tick(): void {
    if (options.isVisible()) void refresh();
    else cancelTimer = options.setTimer(tick, options.intervalMs);
  }

  void refresh();
  return {
    refresh,
    stop: () => {
      stopped = true;
      cancelTimer();
    },
  };
}
