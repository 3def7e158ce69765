/**
 * Alarms: the deployed version's live success has fallen, or too many steps in a row exceeded a drift limit.
 * An alarm freezes publishing until an operator lifts the freeze, and rolls back the version at fault.
 */
import type { EdgeClient } from "../edge/edge-client.ts";
import type { JudgedLease } from "../check/lease-judgment.ts";
import { followStable, liveFall, type LiveLimits, watchLease } from "../evaluation/live-watch.ts";
import type { Reporter } from "../metrics/reporter.ts";
import type { Alarm, TrainerState } from "../checkpoint/trainer-state.ts";
import type { Drift } from "../update/drift.ts";

export type WatchLimits = LiveLimits & {
  /** Largest drift of the trained policy from the stable version, in nats per token. */
  readonly drift: number;
  /** Largest drift from the base model, in nats per token; absent = no limit. */
  readonly baseDrift?: number | undefined;
};

/** A drift beyond its limit, in nats per token. */
export type DriftExcess = {
  readonly from: "stable version" | "base model";
  readonly nats: number;
  readonly limit: number;
};

/**
 * The state updated with a lease's results, and with an alarm if the deployed version has fallen.
 */
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

/** Steps in a row from the stable version that may exceed the drift limit; one more raises an alarm. */
export const MAX_DRIFTED_STEPS = 3;

/**
 * The limit that a drift exceeds; `null` if it exceeds none. A drift that is not a number exceeds every limit.
 * @param drift - after a step.
 */
export function driftBeyond(
  { stable, base }: Drift,
  { drift, baseDrift = Infinity }: WatchLimits,
): DriftExcess | null {
  if (stable !== null && !(stable <= drift)) {
    return { from: "stable version", nats: stable, limit: drift };
  }
  if (base !== null && !(base <= baseDrift)) {
    return { from: "base model", nats: base, limit: baseDrift };
  }
  return null;
}

/** The alarm after too many such steps. @param excess - of the last one */
export function driftAlarm({ from, nats, limit }: DriftExcess): Alarm {
  const reason = `${MAX_DRIFTED_STEPS + 1} steps in a row moved the policy too far from the ${from}, the last one by ${nats.toFixed(3)} nats per token; the limit is ${limit}`;
  return { version: null, reason };
}

/** Reports the alarm to the edge. Safe to repeat after a crash. */
export async function raiseAlarm(
  { edge, report }: { readonly edge: EdgeClient; readonly report: Reporter },
  { version, reason }: Alarm,
): Promise<void> {
  await edge.freeze(reason);
  if (version !== null) await edge.rollBack(version, reason);
  report.alarm(version, reason);
}
