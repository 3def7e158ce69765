import { WaggleError } from "@waggle/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import golden from "../golden/advantages.json" with { type: "json" };
import {
  afterEvent,
  type CapacityEvent,
  freeCapacity,
  isTooStale,
  type RolloutCapacity,
  rolloutCapacity,
  waitingCount,
} from "./rollout-capacity.ts";

const limits = { batchSize: 4, mostStaleness: 2, mostRunning: 8 };

test("capacity agrees with the reference value", () => {
  const state = { limits, version: 3, running: 3, accepted: 10 };
  expect(freeCapacity(state)).toBe(golden.capacity);
});

test("synchronous training starts one batch, and the next only after the step", () => {
  let state = rolloutCapacity({ ...limits, mostStaleness: 0 });
  for (let i = 0; i < 4; i += 1) state = afterEvent(state, "begin");
  expect(freeCapacity(state)).toBe(0);
  for (let i = 0; i < 4; i += 1) state = afterEvent(state, "accept");
  expect(freeCapacity(state)).toBe(0);
  state = afterEvent(state, "advance");
  expect([freeCapacity(state), waitingCount(state)]).toEqual([4, 0]);
});

const event = fc.constantFrom<CapacityEvent>(
  "begin",
  "begin",
  "accept",
  "accept",
  "reject",
  "expire",
  "advance",
);
const someLimits = fc.record({
  batchSize: fc.integer({ min: 1, max: 6 }),
  mostStaleness: fc.nat(4),
  mostRunning: fc.integer({ min: 1, max: 12 }),
});

/** The state after an event; unchanged if the event is refused. */
function afterAny(state: RolloutCapacity, tried: CapacityEvent): RolloutCapacity {
  try {
    return afterEvent(state, tried);
  } catch (error) {
    if (!WaggleError.is(error, "CONFLICT")) throw error;
    return state;
  }
}

test("the limits hold for any interleaving of events", () => {
  fc.assert(
    fc.property(someLimits, fc.array(event, { maxLength: 200 }), (chosen, events) => {
      let state = rolloutCapacity(chosen);
      for (const tried of events) {
        state = afterAny(state, tried);
        const { running, accepted, version } = state;
        expect(running).toBeGreaterThanOrEqual(0);
        expect(running).toBeLessThanOrEqual(chosen.mostRunning);
        expect(accepted + running).toBeLessThanOrEqual(
          (chosen.mostStaleness + version + 1) * chosen.batchSize,
        );
        expect(waitingCount(state)).toBeGreaterThanOrEqual(0);
        expect(freeCapacity(state)).toBeGreaterThanOrEqual(0);
      }
    }),
    { numRuns: 300 },
  );
});

test("trajectories learned in starting order never exceed the staleness limit", () => {
  fc.assert(
    fc.property(someLimits, fc.array(event, { maxLength: 200 }), (chosen, events) => {
      let state = rolloutCapacity(chosen);
      const running: number[] = [];
      const waiting: number[] = [];
      for (const tried of events) {
        const next = afterAny(state, tried);
        if (next === state) continue;
        if (tried === "begin") running.push(state.version);
        if (tried === "accept") waiting.push(running.shift() as number);
        if (tried === "reject") running.shift();
        if (tried === "expire") waiting.shift();
        const learned = tried === "advance" ? waiting.splice(0, chosen.batchSize) : [];
        const old = state;
        expect(learned.filter((begunAt) => isTooStale(old, begunAt))).toEqual([]);
        state = next;
      }
    }),
    { numRuns: 300 },
  );
});

test("nothing deadlocks without room, because rejections free their place", () => {
  let state = rolloutCapacity({ batchSize: 1, mostStaleness: 0, mostRunning: 1 });
  for (let i = 0; i < 50; i += 1) {
    state = afterEvent(state, "begin");
    state = afterEvent(state, i % 3 === 0 ? "accept" : "reject");
    if (waitingCount(state) === 1) state = afterEvent(state, "advance");
  }
  expect(freeCapacity(state)).toBe(1);
});

test.each([
  [1, "nothing", 200],
  [0, "everything: synchronous training waits for its batch", 0],
])("a rollout that never ends delays, with staleness %i, %s", (mostStaleness, _, versions) => {
  let state = afterEvent(rolloutCapacity({ ...limits, mostStaleness }), "begin");
  for (let i = 0; i < 2000; i += 1) {
    // One is stuck for good; all others end at once.
    if (freeCapacity(state) > 0) state = afterEvent(afterEvent(state, "begin"), "accept");
    else if (waitingCount(state) >= limits.batchSize) state = afterEvent(state, "advance");
  }
  expect(Math.min(state.version, 200)).toBe(versions);
});
