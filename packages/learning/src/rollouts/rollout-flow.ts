/**
 * Rollouts and learning steps that overlap, as a plain state: which rollouts run, which wait to be
 * learned from, which are being learned from, and what became of all the others. Each event gives the
 * next state; what happens in which order is the caller's, the limits hold for every order. Runs nothing.
 *
 * Source: Fu et al. 2025, "AReaL", arXiv:2505.24298 (capacity by staleness: `rollout-capacity.ts`).
 * Differs from it: what waits is bounded too; the limit counts from the oldest token of a rollout that
 * went on under a newer version; what has become too old leaves, and is counted.
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

export type FlowLimits = CapacityLimits & {
  /** Rollouts that ended and are not yet learned from; at least a batch. A running one has its place reserved. */
  readonly mostWaiting: number;
};

/** One rollout: a trajectory, or a group that is learned from together. */
type FlowRollout = {
  readonly id: number;
  /** Version of its oldest token; of its beginning while it runs. */
  readonly oldest: number;
};

/** What became of rollouts. `begun` is the sum of all others, of those that run, wait and are learned from. */
type FlowCounts = {
  readonly begun: number;
  readonly learned: number;
  /** Dropped because the version had moved on too far. */
  readonly tooOld: number;
  /** Ended without anything to learn from. */
  readonly failed: number;
};

export type RolloutFlow = {
  readonly limits: FlowLimits;
  readonly capacity: RolloutCapacity;
  readonly running: readonly FlowRollout[];
  readonly waiting: readonly FlowRollout[];
  /** Empty while the trainer is idle. */
  readonly learning: readonly FlowRollout[];
  readonly counts: FlowCounts;
};

export type FlowEvent =
  /** A rollout begins. */
  | { readonly kind: "begin"; readonly id: number }
  /** It ended; `oldest` is the version of its oldest token. */
  | { readonly kind: "end"; readonly id: number; readonly oldest: number }
  /** It ended in an error. */
  | { readonly kind: "fail"; readonly id: number }
  /** The trainer takes a batch, the oldest first. */
  | { readonly kind: "learn" }
  /** The step is taken and its version published: what is too old for the next step leaves. */
  | { readonly kind: "publish" };

/** @throws WaggleError `INVALID_ARGUMENT` for limits under which nothing could ever be learned. */
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

/** Learning steps taken. */
export function flowVersion({ capacity }: RolloutFlow): number {
  return capacity.version;
}

/** Rollouts that may begin now. */
export function beginnable({ limits, capacity, running, waiting }: RolloutFlow): number {
  const places = limits.mostWaiting - running.length - waiting.length;
  return Math.max(0, Math.min(freeCapacity(capacity), places));
}

/** True where a learning step may begin. */
export function canLearn({ limits, waiting, learning }: RolloutFlow): boolean {
  return learning.length === 0 && waiting.length >= limits.batchSize;
}

/**
 * The state after an event.
 *
 * @throws WaggleError `CONFLICT` for an event that cannot happen now; the state is as it was.
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
  // Too old for any step to come; a step in progress took its batch before.
  if (isTooStale(flow.capacity, oldest)) return left(flow, id, "tooOld");
  return {
    ...flow,
    capacity: afterEvent(flow.capacity, "accept"),
    running: flow.running.filter((one) => one.id !== id),
    waiting: [...flow.waiting, { id, oldest }],
  };
}

/** A running rollout of which nothing is kept. */
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
    `${what} must have ${needed}, got ${flow.running.length} running, ${flow.waiting.length} waiting, ${flow.learning.length} learned from at version ${capacity.version}; wait for an event that makes room`,
    { retryable: true },
  );
}
