/** Leaves out of a record the feedback from which an operator stopped learning. */
import type { ControlState, Feedback, LeasedTrajectory } from "@waggle/protocol";

/** Names of signals; see `SignalName`. */
export type StoppedSignals = ReadonlySet<string>;

/** The stopped ones. An edge of the previous release stops none. */
export function stoppedSignals({ signals = [] }: ControlState): StoppedSignals {
  return new Set(signals.flatMap(({ signal, stopped }) => (stopped === null ? [] : [signal])));
}

/** The record without feedback and outcomes of stopped signals; the same object if it has none. */
export function withoutStopped(
  leased: LeasedTrajectory,
  stopped: StoppedSignals,
): LeasedTrajectory {
  if (stopped.size === 0) return leased;
  const { feedback, outcomes = [] } = leased;
  const said = feedback
    .filter(({ kind }) => !stopped.has(signalOf(kind)))
    .map((one) => (stopped.has("correction") ? withoutCorrection(one) : one));
  const kept = outcomes.filter(({ metric }) => !stopped.has(`outcome:${metric}`));
  const isSame =
    kept.length === outcomes.length &&
    said.length === feedback.length &&
    said.every((one, i) => one === feedback[i]);
  return isSame ? leased : { ...leased, feedback: said, outcomes: kept };
}

function signalOf(kind: Feedback["kind"]): string {
  if (kind === "thumb-up" || kind === "thumb-down") return "thumb";
  return kind === "edit" ? kind : `message:${kind}`;
}

/** The message without its text. */
function withoutCorrection(one: Feedback): Feedback {
  if (one.kind === "edit" || one.text === undefined) return one;
  const { text: _, ...rest } = one;
  return rest;
}
