/**
 * Temporal logic on finite traces: what must hold of a whole run, said once and checked on any. Not a
 * model checker: it looks at runs that happened, not at all that could.
 *
 * Sources: De Giacomo and Vardi 2013, "Linear Temporal Logic and Linear Dynamic Logic on Finite Traces";
 * used to rank outputs by Yang et al. 2023, "Fine-Tuning Language Models Using Formal Methods Feedback",
 * arXiv:2310.18239.
 */
import type { JudgedTrajectory, JudgedTurn } from "../composition/judged-trajectory.ts";
import type { RewardPart } from "../composition/part.ts";
import { rewardPart } from "./reward-part.ts";

/** Whether a run does what is said of it, from step `at` on. */
export type Specification<S> = (trace: readonly S[], at: number) => boolean;

/** Of the present step; false after the last. */
export function now<S>(holds: (step: S) => boolean): Specification<S> {
  return (trace, at) => at < trace.length && holds(trace[at] as S);
}

/** Of every step from here on; true of none. */
export function always<S>(inner: Specification<S>): Specification<S> {
  return (trace, at) => steps(trace, at).every((step) => inner(trace, step));
}

/** Of some step from here on. */
export function eventually<S>(inner: Specification<S>): Specification<S> {
  return (trace, at) => steps(trace, at).some((step) => inner(trace, step));
}

/** `last` holds at some step, and `first` at every one before it. */
export function until<S>(first: Specification<S>, last: Specification<S>): Specification<S> {
  return (trace, at) => {
    const end = steps(trace, at).find((step) => last(trace, step));
    return end !== undefined && steps(trace, at).every((s) => s >= end || first(trace, s));
  };
}

/** Where the one holds, the other does. */
export function implies<S>(premise: Specification<S>, claim: Specification<S>): Specification<S> {
  return (trace, at) => !premise(trace, at) || claim(trace, at);
}

/** Share of the specifications that a run satisfies, in [0, 1]; 1 where nothing is asked. */
export function satisfiedShare<S>(
  trace: readonly S[],
  specifications: readonly Specification<S>[],
): number {
  if (specifications.length === 0) return 1;
  return specifications.filter((holds) => holds(trace, 0)).length / specifications.length;
}

function steps(trace: readonly unknown[], from: number): number[] {
  return [...trace.keys()].slice(from);
}

/** `outcome`: the share of specifications that the run satisfies, turn by turn; no model says so. */
export function specifications(
  of: (trajectory: JudgedTrajectory) => readonly Specification<JudgedTurn>[],
): RewardPart {
  return rewardPart("outcome", (trajectory) => ({
    total: satisfiedShare(trajectory.turns, of(trajectory)),
  }));
}
