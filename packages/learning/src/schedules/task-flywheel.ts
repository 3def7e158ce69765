/**
 * `flywheel`: each round keeps what is still hard, hardens what is solved, and branches what failed.
 * Who writes the new tasks is a port; here is only which ones are asked for.
 *
 * Source: AgenticQwen (dual data flywheels), AgentSynth (difficulty by steps).
 */
import { requireInside } from "../statistics.ts";

export type FlywheelTask = {
  readonly id: string;
  readonly passRate: number;
  /** Rounds of hardening behind it. */
  readonly generation: number;
};

export type FlywheelOrder =
  /** Keep it as it is. */
  | { readonly kind: "keep"; readonly id: string }
  /** Make a harder one of it. */
  | { readonly kind: "harden"; readonly id: string; readonly generation: number }
  /** Make several of its kind around the error. */
  | { readonly kind: "branch"; readonly id: string; readonly copies: number }
  /** Leave it out: solved and as hard as it gets, or hopeless for too long. */
  | { readonly kind: "retire"; readonly id: string };

export type FlywheelRule = {
  /** Pass rate from which a task is solved, and up to which it failed. Defaults 0.8 and 0.2. */
  readonly solvedFrom?: number;
  readonly failedTo?: number;
  readonly mostGenerations: number;
  /** New tasks around a failure. Default 2. */
  readonly copies?: number;
};

/** One order a task, in order. */
export function flywheelRound(
  tasks: readonly FlywheelTask[],
  { solvedFrom = 0.8, failedTo = 0.2, mostGenerations, copies = 2 }: FlywheelRule,
): FlywheelOrder[] {
  requireInside("failedTo", failedTo, 0, solvedFrom);
  return tasks.map(({ id, passRate, generation }): FlywheelOrder => {
    const isLast = generation >= mostGenerations;
    if (passRate >= solvedFrom) {
      return isLast ? { kind: "retire", id } : { kind: "harden", id, generation: generation + 1 };
    }
    if (passRate > failedTo) return { kind: "keep", id };
    // A task that hardening has made hopeless goes; one of the first generation is learned in parts.
    return isLast && passRate === 0 ? { kind: "retire", id } : { kind: "branch", id, copies };
  });
}
