/** What became of a trajectory that was to be learned from. */
import type { TrajectoryOutcome } from "@waggle/protocol";
import type { LearningStepResult } from "./learning-step.ts";

/** Fills in what the step made of a trajectory that was to be learned. */
export function finalOutcome(
  outcome: TrajectoryOutcome,
  result: LearningStepResult | null,
  step: number,
): TrajectoryOutcome {
  // An outcome with a step was learned earlier, under a lease that was lost.
  if (outcome.status !== "learned" || outcome.step !== undefined) return outcome;
  const skipped = (reason: string): TrajectoryOutcome => ({
    ...outcome,
    status: "skipped",
    reason,
  });
  if (result === null) return skipped("non-finite-gradient");
  const { digest } = outcome;
  const advantage = result.advantages.get(digest);
  if (advantage === undefined) return skipped(result.reasons.get(digest) ?? "left-out");
  return { ...outcome, advantage, step };
}
