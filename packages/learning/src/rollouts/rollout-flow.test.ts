import { WaggleError } from "@waggle/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  afterFlowEvent,
  beginnable,
  canLearn,
  type FlowEvent,
  type FlowLimits,
  flowVersion,
  type RolloutFlow,
  rolloutFlow,
} from "./rollout-flow.ts";

const someLimits = fc
  .record({
    batchSize: fc.integer({ min: 1, max: 5 }),
    mostStaleness: fc.nat(4),
    mostRunning: fc.integer({ min: 1, max: 12 }),
    more: fc.nat(12),
  })
  .map(({ more, ...limits }): FlowLimits => ({ ...limits, mostWaiting: limits.batchSize + more }));

/**
 * An event, which may be impossible. `at` selects a running rollout; `newer` is the number of versions from the
 * rollout's start to its oldest token.
 */
const someEvent = fc.record({
  kind: fc.constantFrom<FlowEvent["kind"]>(
    "begin",
    "begin",
    "begin",
    "end",
    "end",
    "end",
    "fail",
    "learn",
    "publish",
  ),
  at: fc.nat(20),
  newer: fc.nat(2),
});
type DrawnEvent = { readonly kind: FlowEvent["kind"]; readonly at: number; readonly newer: number };

function eventOf(flow: RolloutFlow, { kind, at, newer }: DrawnEvent, id: number): FlowEvent {
  const one = flow.running[at % Math.max(1, flow.running.length)] ?? { id: -1, oldest: 0 };
  if (kind === "begin") return { kind, id };
  if (kind === "fail") return { kind, id: one.id };
  if (kind === "end") {
    return { kind, id: one.id, oldest: Math.min(flowVersion(flow), one.oldest + newer) };
  }
  return { kind };
}

/** The states after each event of a list. Impossible events are refused and change nothing. */
function* states(limits: FlowLimits, events: readonly DrawnEvent[]): Generator<RolloutFlow> {
  let flow = rolloutFlow(limits);
  for (const [id, event] of events.entries()) {
    try {
      flow = afterFlowEvent(flow, eventOf(flow, event, id));
    } catch (error) {
      if (!WaggleError.is(error, "CONFLICT")) throw error;
    }
    yield flow;
  }
}

const interleavings = fc.array(someEvent, { maxLength: 250 });

test("capacity and staleness limits hold for any interleaving", () => {
  fc.assert(
    fc.property(someLimits, interleavings, (limits, events) => {
      for (const flow of states(limits, events)) {
        const { running, waiting, learning, capacity } = flow;
        expect(running.length).toBeLessThanOrEqual(limits.mostRunning);
        expect(running.length + waiting.length).toBeLessThanOrEqual(limits.mostWaiting);
        expect([0, limits.batchSize]).toContain(learning.length);
        // The step that learns from them begins at this version and has not been published.
        for (const { oldest } of [...learning, ...waiting]) {
          expect(capacity.version - oldest).toBeLessThanOrEqual(limits.mostStaleness);
        }
        // The two ways of counting agree.
        expect(capacity.running).toBe(running.length);
        expect(capacity.accepted - capacity.version * limits.batchSize).toBe(
          waiting.length + learning.length,
        );
      }
    }),
    { numRuns: 500 },
  );
});

test("nothing is dropped silently: every started rollout runs, waits, is learned or is counted", () => {
  fc.assert(
    fc.property(someLimits, interleavings, (limits, events) => {
      for (const { counts, running, waiting, learning } of states(limits, events)) {
        const { begun, learned, tooOld, failed } = counts;
        expect(learned + tooOld + failed + running.length + waiting.length + learning.length).toBe(
          begun,
        );
      }
    }),
    { numRuns: 300 },
  );
});

test("no interleaving ends in a deadlock", () => {
  fc.assert(
    fc.property(someLimits, interleavings, (limits, events) => {
      for (const flow of states(limits, events)) {
        const isBusy = flow.running.length > 0 || flow.learning.length > 0;
        expect(isBusy || beginnable(flow) > 0 || canLearn(flow)).toBe(true);
      }
    }),
    { numRuns: 300 },
  );
});

test("a straggler is dropped and counted, and its place is freed", () => {
  let flow = rolloutFlow({ batchSize: 1, mostStaleness: 1, mostRunning: 2, mostWaiting: 4 });
  flow = afterFlowEvent(flow, { kind: "begin", id: 0 });
  for (let id = 1; id <= 2; id += 1) {
    flow = afterFlowEvent(flow, { kind: "begin", id });
    flow = afterFlowEvent(flow, { kind: "end", id, oldest: flowVersion(flow) });
    flow = afterFlowEvent(flow, { kind: "learn" });
    flow = afterFlowEvent(flow, { kind: "publish" });
  }
  flow = afterFlowEvent(flow, { kind: "end", id: 0, oldest: 0 });
  expect(flow.counts).toEqual({ begun: 3, learned: 2, tooOld: 1, failed: 0 });
  expect(beginnable(flow)).toBe(2);
});

test("a continued rollout's staleness counts from its oldest token, not from its start", () => {
  let flow = rolloutFlow({ batchSize: 1, mostStaleness: 0, mostRunning: 2, mostWaiting: 4 });
  flow = { ...flow, capacity: { ...flow.capacity, version: 3, accepted: 3 } };
  flow = afterFlowEvent(flow, { kind: "begin", id: 7 });
  const moved = { ...flow, capacity: { ...flow.capacity, version: 4, accepted: 4 } };
  expect(afterFlowEvent(moved, { kind: "end", id: 7, oldest: 4 }).waiting).toHaveLength(1);
  expect(afterFlowEvent(moved, { kind: "end", id: 7, oldest: 3 }).counts.tooOld).toBe(1);
});

test("the oldest rollouts are learned first, whichever ended first", () => {
  let flow = rolloutFlow({ batchSize: 1, mostStaleness: 4, mostRunning: 4, mostWaiting: 8 });
  flow = afterFlowEvent(flow, { kind: "begin", id: 0 });
  flow = afterFlowEvent(flow, { kind: "begin", id: 1 });
  flow = afterFlowEvent(flow, { kind: "end", id: 1, oldest: 0 });
  flow = afterFlowEvent(flow, { kind: "learn" });
  flow = afterFlowEvent(flow, { kind: "publish" });
  flow = afterFlowEvent(flow, { kind: "begin", id: 2 });
  flow = afterFlowEvent(flow, { kind: "end", id: 2, oldest: 1 });
  flow = afterFlowEvent(flow, { kind: "end", id: 0, oldest: 0 });
  expect(afterFlowEvent(flow, { kind: "learn" }).learning.map(({ id }) => id)).toEqual([0]);
});

test("a buffer smaller than a batch is refused", () => {
  expect(() =>
    rolloutFlow({ batchSize: 4, mostStaleness: 1, mostRunning: 4, mostWaiting: 3 }),
  ).toThrow(/mostWaiting/);
});
