/**
 * State of overlapping rollouts and learning steps: running rollouts, waiting ones, those in the current step,
 * and counts of all others. Each event returns the next state. The limits hold for any order of events.
 *
 * Source: Fu et al. 2025, "AReaL", arXiv:2505.24298 (capacity by staleness: `rollout-capacity.ts`).
 * Differs from it: the number of waiting rollouts is bounded too; staleness counts from the oldest token of a
 * rollout that was continued with a newer version; stale rollouts are dropped and counted.
 */
import { WaggleError } from "@waggle/protocol";
import { requireInside } from "../statistics.ts";
import {
  afterEvent,
  type CapacityLimits,
  freeCapacity,
  isTooStale,
  type RolloutCapacity,
  rolloutCapacity,
} from "./rollout-capacity.ts";

/** Limits on rollouts that run or wait while the trainer works. */
export type FlowLimits = CapacityLimits & {
  /** Maximum number of waiting rollouts, at least a batch. A running rollout reserves a place. */
  readonly mostWaiting: number;
};

/** One rollout: a trajectory, or a group that is trained together. */
type FlowRollout = {
  readonly id: number;
  /** Version of its oldest token; while it runs, the version at its start. */
  readonly oldest: number;
};

/** Counts of rollouts. `begun` is the sum of all other counts and of those that run, wait or are in a step. */
type FlowCounts = {
  readonly begun: number;
  readonly learned: number;
  /** Dropped because they became too stale. */
  readonly tooOld: number;
  /** Ended without training data. */
  readonly failed: number;
};

/** The state of overlapping rollouts and learning steps. */
export type RolloutFlow = {
  readonly limits: FlowLimits;
  readonly capacity: RolloutCapacity;
  readonly running: readonly FlowRollout[];
  readonly waiting: readonly FlowRollout[];
  /** The rollouts of the current step; empty while the trainer is idle. */
  readonly learning: readonly FlowRollout[];
  readonly counts: FlowCounts;
};

/** Something that happened to a rollout or to the trainer. */
export type FlowEvent =
  /** A rollout starts. */
  | { readonly kind: "begin"; readonly id: number }
  /** A rollout ended; `oldest` is the version of its oldest token. */
  | { readonly kind: "end"; readonly id: number; readonly oldest: number }
  /** A rollout failed with an error. */
  | { readonly kind: "fail"; readonly id: number }
  /** The trainer takes a batch, oldest first. */
  | { readonly kind: "learn" }
  /** The step ended and its version is published; rollouts that are too stale for the next step are dropped. */
  | { readonly kind: "publish" };

/** @throws WaggleError `INVALID_ARGUMENT` for limits that would never allow a step. */
export function rolloutFlow(limits: FlowLimits): RolloutFlow {
  requireInside("mostWaiting", limits.mostWaiting, limits.batchSize, Number.MAX_SAFE_INTEGER);
  return {
    limits,
    capacity: rolloutCapacity(limits),
    running: [],
    waiting: [],
    learning: [],
    counts: { begun: 0, learned: 0, tooOld: 0, failed: 0 },
  };
}

/** Number of learning steps. */
export function flowVersion({ capacity }: RolloutFlow): number {
  return capacity.version;
}

/** Number of rollouts that may start now. */
export function beginnable({ limits, capacity, running, waiting }: RolloutFlow): number {
  const places = limits.mostWaiting - running.length - waiting.length;
  return Math.max(0, Math.min(freeCapacity(capacity), places));
}

/** Whether a learning step may start. */
export function canLearn({ limits, waiting, learning }: RolloutFlow): boolean {
  return learning.length === 0 && waiting.length >= limits.batchSize;
}

/**
 * The state after an event.
 *
 * @throws WaggleError `CONFLICT` for an event that is impossible in this state; the state is unchanged.
 */
export function afterFlowEvent(flow: RolloutFlow, event: FlowEvent): RolloutFlow {
  switch (event.kind) {
    case "begin":
      return begun(flow, event.id);
    case "end":
      return ended(flow, event.id, event.oldest);
    case "fail":
      return left(flow, running(flow, event).id, "failed");
    case "learn":
      return learning(flow);
    case "publish":
      return published(flow);
  }
}

function begun(flow: RolloutFlow, id: number): RolloutFlow {
  const { capacity, counts } = flow;
  const known = [...flow.running, ...flow.waiting, ...flow.learning].some((one) => one.id === id);
  if (known) throw conflict(`rollout ${id} begins`, "an id of its own", flow);
  if (beginnable(flow) === 0) throw conflict(`rollout ${id} begins`, "room for it", flow);
  return {
    ...flow,
    capacity: afterEvent(capacity, "begin"),
    running: [...flow.running, { id, oldest: capacity.version }],
    counts: { ...counts, begun: counts.begun + 1 },
  };
}

function ended(flow: RolloutFlow, id: number, oldest: number): RolloutFlow {
  const { oldest: beginning } = running(flow, { kind: "end", id });
  if (oldest < beginning || oldest > flow.capacity.version) {
    const range = `an oldest token of version ${beginning} to ${flow.capacity.version}`;
    throw conflict(`rollout ${id} ends with one of version ${oldest}`, range, flow);
  }
  // Too stale for any future step; the current step already has its batch.
  if (isTooStale(flow.capacity, oldest)) return left(flow, id, "tooOld");
  return {
    ...flow,
    capacity: afterEvent(flow.capacity, "accept"),
    running: flow.running.filter((one) => one.id !== id),
    waiting: [...flow.waiting, { id, oldest }],
  };
}

/** Drops a running rollout. */
function left(flow: RolloutFlow, id: number, why: "failed" | "tooOld"): RolloutFlow {
  return {
    ...flow,
    capacity: afterEvent(flow.capacity, "reject"),
    running: flow.running.filter((one) => one.id !== id),
    counts: { ...flow.counts, [why]: flow.counts[why] + 1 },
  };
}

function learning(flow: RolloutFlow): RolloutFlow {
  const { batchSize } = flow.limits;
  if (!canLearn(flow)) throw conflict("a step", `an idle trainer and ${batchSize} waiting`, flow);
  const oldestFirst = flow.waiting.toSorted((a, b) => a.oldest - b.oldest || a.id - b.id);
  return {
    ...flow,
    waiting: oldestFirst.slice(batchSize),
    learning: oldestFirst.slice(0, batchSize),
  };
}

function published(flow: RolloutFlow): RolloutFlow {
  if (flow.learning.length === 0) throw conflict("a publication", "a step in progress", flow);
  let capacity = afterEvent(flow.capacity, "advance");
  const waiting = flow.waiting.filter(({ oldest }) => !isTooStale(capacity, oldest));
  const tooOld = flow.waiting.length - waiting.length;
  for (let i = 0; i < tooOld; i += 1) capacity = afterEvent(capacity, "expire");
  const { counts } = flow;
  return {
    ...flow,
    capacity,
    waiting,
    learning: [],
    counts: {
      ...counts,
      learned: counts.learned + flow.learning.length,
      tooOld: counts.tooOld + tooOld,
    },
  };
}

function running(
  flow: RolloutFlow,
  { kind, id }: { readonly kind: string; readonly id: number },
): FlowRollout {
  const found = flow.running.find((one) => one.id === id);
  if (found === undefined) throw conflict(`${kind} of rollout ${id}`, "it running", flow);
  return found;
}

function conflict(what: string, needed: string, flow: RolloutFlow): WaggleError {
  const { capacity } = flow;
  return new WaggleError(
    "CONFLICT",
    `${what} needs ${needed}, but ${flow.running.length} run, ${flow.waiting.length} wait and ${flow.learning.length} are in the step at version ${capacity.version}`,
    { retryable: true },
  );
}
