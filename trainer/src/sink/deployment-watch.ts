/**
 * Alarms: the deployed version has fallen on what visitors did with it, or training has run away from
 * it. An alarm freezes publishing until an operator lifts the freeze, and rolls back what is to blame.
 */
import type { EdgeClient } from "../edge/edge-client.ts";
import type { JudgedLease } from "../check/lease-judgement.ts";
import { followStable, liveFall, type LiveLimits, watchLease } from "./live-watch.ts";
import type { Reporter } from "../metrics/reporter.ts";
import type { Alarm, TrainerState } from "../checkpoint/trainer-state.ts";

export type WatchLimits = LiveLimits & {
  /** Largest drift of the trained policy from the stable version, per token in nats. */
  readonly drift: number;
};

/** The state with what a lease shows of the deployed version, and an alarm where that has fallen. */
export function withWatchedLease(
  state: TrainerState,
  { lease, outcomes }: JudgedLease,
  limits: WatchLimits,
): TrainerState {
  const watch = watchLease(followStable(state.watch, state), lease.groups, outcomes);
  const reason = liveFall(watch, limits);
  const alarm = reason === null ? {} : { alarm: { version: state.stableVersion, reason } };
  return { ...state, watch, ...alarm };
}

/** @param drift - after a step; `null` where nothing tells. */
export function driftAlarm(drift: number | null, { drift: limit }: WatchLimits): Alarm | null {
  if (drift === null || drift <= limit) return null;
  const reason = `the trained policy drifted ${drift.toFixed(3)} nats a token from the stable version; the limit is ${limit}`;
  return { version: null, reason };
}

/** Tells the edge. Repeated after a crash, it changes nothing more. */
export async function raiseAlarm(
  { edge, report }: { readonly edge: EdgeClient; readonly report: Reporter },
  { version, reason }: Alarm,
): Promise<void> {
  await edge.freeze(reason);
  if (version !== null) await edge.rollBack(version, reason);
  report.alarm(version, reason);
}
