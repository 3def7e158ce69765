/**
 * Polls while the page is visible and reports its state: loading, live, or failing with the last known data.
 * Backs off while the edge does not respond.
 */

/** The last data and the last error. */
export type PollState<T> = {
  /** The last response; `null` before the first. */
  readonly data: T | null;
  /** The error of the last request; `null` if it succeeded. */
  readonly error: unknown;
  /** Time at which `data` arrived, in ms; 0 before the first response. */
  readonly at: number;
};

/** Options of `createPoller`. */
export type PollerOptions<T> = {
  readonly ask: () => Promise<T>;
  readonly onState: (state: PollState<T>) => void;
  /** Pause between requests, in ms. */
  readonly intervalMs: number;
  /** Longest pause while failing, in ms. */
  readonly longestMs: number;
  readonly now: () => number;
  readonly setTimer: (fn: () => void, ms: number) => () => void;
  /** False pauses polling until `resume`. */
  readonly isVisible: () => boolean;
};

/** A running poller. */
export interface Poller {
  /** Polls now, unless a request is pending. */
  refresh(): Promise<void>;
  stop(): void;
}

/** Creates a poller that starts at once. */
export function createPoller<T>(options: PollerOptions<T>): Poller {
  let state: PollState<T> = { data: null, error: null, at: 0 };
  let asking: Promise<void> | null = null;
  let cancelTimer = () => {};
  let stopped = false;
  let failures = 0;

  async function poll(): Promise<void> {
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
    asking ??= poll().finally(() => {
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
