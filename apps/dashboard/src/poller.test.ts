import { expect, test } from "vitest";
import { createPoller, type PollState } from "./poller.ts";

/** A poller with a clock that the test advances. */
function underClock(answers: (number | Error)[]) {
  const states: PollState<number>[] = [];
  const pauses: number[] = [];
  let pending: (() => void) | null = null;
  let visible = true;
  const poller = createPoller<number>({
    ask: () => {
      const next = answers.shift() ?? 0;
      return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
    },
    onState: (state) => states.push(state),
    intervalMs: 1000,
    longestMs: 5000,
    now: () => 42,
    setTimer: (fn, ms) => {
      pauses.push(ms);
      pending = fn;
      return () => {
        pending = null;
      };
    },
    isVisible: () => visible,
  });
  const settle = async () => {
    for (let i = 0; i < 5; i++) await Promise.resolve();
  };
  return {
    poller,
    states,
    pauses,
    settle,
    hide: () => {
      visible = false;
    },
    elapse: async () => {
      const fn = pending;
      pending = null;
      fn?.();
      await settle();
    },
    isWaiting: () => pending !== null,
  };
}

test("requests follow one another at the interval", async () => {
  const clock = underClock([1, 2]);
  await clock.settle();
  await clock.elapse();
  expect(clock.states.map((state) => state.data)).toEqual([1, 2]);
  expect(clock.pauses).toEqual([1000, 1000]);
});

test("a failure keeps the last data, reports the error, and backs off up to the longest pause", async () => {
  const gone = new Error("gone");
  const clock = underClock([7, gone, gone, gone, gone, 8]);
  await clock.settle();
  for (let i = 0; i < 5; i++) await clock.elapse();
  expect(clock.states[1]).toEqual({ data: 7, error: gone, at: 42 });
  expect(clock.pauses).toEqual([1000, 2000, 4000, 5000, 5000, 1000]);
  expect(clock.states.at(-1)).toEqual({ data: 8, error: null, at: 42 });
});

test("a hidden page sends no requests", async () => {
  const clock = underClock([1, 2]);
  await clock.settle();
  clock.hide();
  await clock.elapse();
  expect(clock.states).toHaveLength(1);
  expect(clock.isWaiting()).toBe(true);
});

test("a stopped poller reports nothing more", async () => {
  const clock = underClock([1]);
  clock.poller.stop();
  await clock.settle();
  expect(clock.states).toEqual([]);
  expect(clock.isWaiting()).toBe(false);
});
