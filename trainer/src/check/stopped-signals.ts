/** Leaves out of a record the feedback from which an operator stopped learning. */
import type { ControlState, Feedback, LeasedTrajectory } from "@waggle/protocol";

/** Names of signals; see `SignalName`. */
export type StoppedSignals = ReadonlySet<string>;

/** The stopped ones. An edge of the previous release stops none. */
export function stoppedSignals({ signals = [] }: ControlState): StoppedSignals {
  return new Set(signals.flatMap(({ signal, stopped }) => (stopped === null ? [] : [signal])));
}

/** A record of which signals may have been left out. */
export type StrippedTrajectory = LeasedTrajectory & {
  /** Whether no judge may read its messages. */
  readonly isUnjudged?: true;
  /** Which answer of a retry it is, if the two make a pair. */
  readonly retry?: "kept" | "rejected";
};

/** The record without feedback and outcomes of stopped signals; the same object if it has none. */
export function withoutStopped(
  leased: LeasedTrajectory,
  stopped: StoppedSignals,
): StrippedTrajectory {
  if (stopped.size === 0) return leased;
  const { staffAnswer, ...rest } = leased;
  const { feedback, outcomes = [] } = rest;
  const isAnswerStopped = staffAnswer !== undefined && stopped.has("staff");
  const said = feedback
    .filter(({ kind }) => !stopped.has(signalOf(kind)))
    .map((one) => (stopped.has("correction") ? withoutCorrection(one) : one));
  const kept = outcomes.filter(({ metric }) => !stopped.has(`outcome:${metric}`));
  const isUnjudged = stopped.has("judge:messages") && said.some(isJudgeable);
  const isSame =
    !isUnjudged &&
    !isAnswerStopped &&
    kept.length === outcomes.length &&
    said.length === feedback.length &&
    said.every((one, i) => one === feedback[i]);
  if (isSame) return leased;
  return {
    ...(isAnswerStopped ? rest : leased),
    feedback: said,
    outcomes: kept,
    ...(isUnjudged && { isUnjudged }),
  };
}

function signalOf(kind: Feedback["kind"]): string {
  if (kind === "thumb-up" || kind === "thumb-down") return "thumb";
  if (kind === "next-message") return "judge:messages";
  return kind === "edit" || kind === "undo" ? kind : `message:${kind}`;
}

/** Whether a judge could read it. */
export function isJudgeable({ kind, text }: Feedback): boolean {
  return text !== undefined && kind !== "edit";
}

/** A correction without its text. */
function withoutCorrection(one: Feedback): Feedback {
  if (!isCorrection(one.kind) || one.text === undefined) return one;
  const { text: _, ...rest } = one;
  return rest;
}

/** Whether the text of such a message is a correction. */
export function isCorrection(kind: Feedback["kind"]): boolean {
  return kind === "next-corrects" || kind === "next-contradicts";
}
