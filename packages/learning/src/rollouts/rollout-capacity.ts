/**
 * `async`: the number of rollouts that may start, so that training data has bounded staleness and no step waits
 * for the slowest rollout. A plain value; each event returns the next one.
 *
 * Source: Fu et al. 2025, "AReaL", arXiv:2505.24298 (capacity by staleness).
 */
import { WaggleError } from "@waggle/protocol";
import { requireInside } from "../statistics.ts";

export type CapacityLimits = {
  /** Trajectories per learning step. */
  readonly batchSize: number;
  /** Maximum staleness in versions; 0 is synchronous. */
  readonly mostStaleness: number;
  /** Maximum number of concurrent rollouts. */
  readonly mostRunning: number;
};

export type RolloutCapacity = {
  readonly limits: CapacityLimits;
  /** Number of learning steps, which is the newest policy version. */
  readonly version: number;
  readonly running: number;
  /** Trajectories accepted since version 0, both used and waiting. */
  readonly accepted: number;
};

export type CapacityEvent =
  /** A rollout starts; refused without capacity. */
  | "begin"
  /** A rollout ended and its trajectory was accepted. */
  | "accept"
  /** A rollout ended and was dropped: filtered, failed or too stale. */
  | "reject"
  /** A waiting trajectory became too stale and was dropped. */
  | "expire"
  /** A learning step took a batch of accepted trajectories. */
  | "advance";

export function rolloutCapacity(limits: CapacityLimits): RolloutCapacity {
  requireInside("batchSize", limits.batchSize, 1, Number.MAX_SAFE_INTEGER);
  requireInside("mostStaleness", limits.mostStaleness, 0, Number.MAX_SAFE_INTEGER);
  requireInside("mostRunning", limits.mostRunning, 1, Number.MAX_SAFE_INTEGER);
  return { limits, version: 0, running: 0, accepted: 0 };
}

/** Rollouts that may start now: max(0, min(C − running, (η + v + 1)·B − (accepted + running))). */
export function freeCapacity({ limits, version, running, accepted }: RolloutCapacity): number {
  const byStaleness =
    (limits.mostStaleness + version + 1) * limits.batchSize - (accepted + running);
  return Math.max(0, Math.min(limits.mostRunning - running, byStaleness));
}

/** Number of accepted trajectories that wait for a step. */
export function waitingCount({ limits, version, accepted }: RolloutCapacity): number {
  return accepted - version * limits.batchSize;
}

/**
 * The state after an event.
 *
 * @throws WaggleError `CONFLICT` for an event that is impossible in this state; the state is unchanged.
 */
export function afterEvent(state: RolloutCapacity, event: CapacityEvent): RolloutCapacity {
  switch (event) {
    case "begin":
      if (freeCapacity(state) === 0) throw conflict(event, "free capacity", state);
      return { ...state, running: state.running + 1 };
    case "accept":
    case "reject":
      if (state.running === 0) throw conflict(event, "a running rollout", state);
      return {
        ...state,
        running: state.running - 1,
        accepted: state.accepted + (event === "accept" ? 1 : 0),
      };
    case "expire":
      if (waitingCount(state) === 0) throw conflict(event, "a waiting trajectory", state);
      return { ...state, accepted: state.accepted - 1 };
    case "advance":
      if (waitingCount(state) < state.limits.batchSize) {
        throw conflict(event, `${state.limits.batchSize} waiting trajectories`, state);
      }
      return { ...state, version: state.version + 1 };
  }
}

/** Whether a trajectory that started at this version is too stale to learn from. */
export function isTooStale({ limits, version }: RolloutCapacity, begunAt: number): boolean {
  return version - begunAt > limits.mostStaleness;
}

function conflict(event: CapacityEvent, needed: string, state: RolloutCapacity): WaggleError {
  return new WaggleError(
    "CONFLICT",
    `${event} needs ${needed}, but ${state.running} run and ${state.accepted} are accepted at version ${state.version}`,
    { retryable: true },
  );
}
