/**
 * `async`: how many rollouts may begin, so that what is learned from is at most so many versions old and
 * nothing waits for the slowest. A plain value; each event gives the next one.
 *
 * Source: Fu et al. 2025, "AReaL", arXiv:2505.24298 (capacity by staleness).
 */
import { WaggleError } from "@waggle/protocol";
import { requireInside } from "../statistics.ts";

export type CapacityLimits = {
  /** Trajectories of one learning step. */
  readonly batchSize: number;
  /** Versions that a trajectory may lag behind; 0 is synchronous. */
  readonly mostStaleness: number;
  /** Rollouts at one time. */
  readonly mostRunning: number;
};

export type RolloutCapacity = {
  readonly limits: CapacityLimits;
  /** Learning steps taken: the version of the newest policy. */
  readonly version: number;
  readonly running: number;
  /** Trajectories accepted since version 0, learned from or waiting. */
  readonly accepted: number;
};

export type CapacityEvent =
  /** A rollout begins; refused where there is no capacity. */
  | "begin"
  /** A rollout ended and its trajectory is kept. */
  | "accept"
  /** A rollout ended and nothing is kept of it: filtered, failed, too old. */
  | "reject"
  /** One that was accepted and waits has become too old, and nothing is kept of it. */
  | "expire"
  /** A learning step took one batch of what was accepted. */
  | "advance";

export function rolloutCapacity(limits: CapacityLimits): RolloutCapacity {
  requireInside("batchSize", limits.batchSize, 1, Number.MAX_SAFE_INTEGER);
  requireInside("mostStaleness", limits.mostStaleness, 0, Number.MAX_SAFE_INTEGER);
  requireInside("mostRunning", limits.mostRunning, 1, Number.MAX_SAFE_INTEGER);
  return { limits, version: 0, running: 0, accepted: 0 };
}

/** Rollouts that may begin now: min(C − running, (η + v + 1)·B − (accepted + running)), never below 0. */
export function freeCapacity({ limits, version, running, accepted }: RolloutCapacity): number {
  const byStaleness =
    (limits.mostStaleness + version + 1) * limits.batchSize - (accepted + running);
  return Math.max(0, Math.min(limits.mostRunning - running, byStaleness));
}

/** Trajectories that were accepted and not yet learned from. */
export function waitingCount({ limits, version, accepted }: RolloutCapacity): number {
  return accepted - version * limits.batchSize;
}

/**
 * The state after an event.
 *
 * @throws WaggleError `CONFLICT` for an event that cannot happen now; the state is as it was.
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

/** True where a trajectory that began at this version may no longer be learned from. */
export function isTooStale({ limits, version }: RolloutCapacity, begunAt: number): boolean {
  return version - begunAt > limits.mostStaleness;
}

function conflict(event: CapacityEvent, needed: string, state: RolloutCapacity): WaggleError {
  return new WaggleError(
    "CONFLICT",
    `${event} must have ${needed}, got ${state.running} running, ${state.accepted} accepted at version ${state.version}; wait for an event that makes room`,
    { retryable: true },
  );
}
