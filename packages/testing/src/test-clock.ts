/** Timers that run when a test says so. For code that takes its `schedule` as a parameter; it patches no global. */

/** A clock that moves only when a test advances it. */
export interface TestClock {
  /** As `setTimeout`. @returns what cancels it. */
  readonly schedule: (run: () => void, delayMs: number) => () => void;
  /** Runs what is due within `durationMs`, in the order of its time. */
  advance(durationMs: number): void;
}

/** A clock at 0 ms with nothing scheduled. */
export function createTestClock(): TestClock {
  let now = 0;
  const timers = new Set<{ readonly at: number; readonly run: () => void }>();
  return {
    schedule(run, delayMs) {
      const timer = { at: now + delayMs, run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance(durationMs) {
      const end = now + durationMs;
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (next === undefined) break;
        timers.delete(next);
        now = next.at;
        next.run();
      }
      now = end;
    },
  };
}
