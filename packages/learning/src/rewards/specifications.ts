/**
 * Temporal logic on finite traces: properties of a whole trajectory, checked step by step. Not a model
 * checker: it checks trajectories that happened, not all possible ones.
 *
 * Sources: De Giacomo and Vardi 2013, "Linear Temporal Logic and Linear Dynamic Logic on Finite Traces"; used
 * to rank outputs by Yang et al. 2023, "Fine-Tuning Language Models Using Formal Methods Feedback",
 * arXiv:2310.18239.
 */
import type { JudgedTrajectory, JudgedTurn } from "../composition/judged-trajectory.ts";
import type { RewardPart } from "../composition/part.ts";
import { rewardPart } from "./reward-part.ts";

/** Whether the trace satisfies the property from step `at` on. */
export type Specification<S> = (trace: readonly S[], at: number) => boolean;

/** The current step satisfies `holds`; false after the last step. */
export function now<S>(holds: (step: S) => boolean): Specification<S> {
  return (trace, at) => at < trace.length && holds(trace[at] as S);
}

/** Every step from here on; true if there is none. */
export function always<S>(inner: Specification<S>): Specification<S> {
  return (trace, at) => steps(trace, at).every((step) => inner(trace, step));
}

/** Some step from here on. */
export function eventually<S>(inner: Specification<S>): Specification<S> {
  return (trace, at) => steps(trace, at).some((step) => inner(trace, step));
}

/** `last` is true at some step, and `first` at every step before it. */
export function until<S>(first: Specification<S>, last: Specification<S>): Specification<S> {
  return (trace, at) => {
    const end = steps(trace, at).find((step) => last(trace, step));
    return end !== undefined && steps(trace, at).every((s) => s >= end || first(trace, s));
  };
}

/** If the premise is true, so is the claim. */
export function implies<S>(premise: Specification<S>, claim: Specification<S>): Specification<S> {
  return (trace, at) => !premise(trace, at) || claim(trace, at);
}

/** Share of the specifications that a trajectory satisfies, in [0, 1]; 1 without any. */
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

/** `outcome`: the share of specifications that the trajectory's turns satisfy; no model judges. */
export function specifications(
  of: (trajectory: JudgedTrajectory) => readonly Specification<JudgedTurn>[],
): RewardPart {
  return rewardPart("outcome", (trajectory) => ({
    total: satisfiedShare(trajectory.turns, of(trajectory)),
  }));
}
