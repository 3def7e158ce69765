/** The final outcome of trajectories that were selected for training. */
import type { TrajectoryOutcome } from "@waggle/protocol";
import { skippedOutcome } from "../evaluation/skipped-outcome.ts";
import type { LearningStepResult } from "./learning-step.ts";
import type { StepFailure } from "./step-failure.ts";

/**
 * Fills in what the step did with a trajectory.
 *
 * @param result - of the step, or why it failed.
 */
export function finalOutcome(
  outcome: TrajectoryOutcome,
  result: LearningStepResult | StepFailure,
  step: number,
): TrajectoryOutcome {
  // An outcome with a step was learned earlier, under a lease that was lost.
  if (outcome.status !== "learned" || outcome.step !== undefined) return outcome;
  if (typeof result === "string") return skippedOutcome(outcome, result);
  const { digest } = outcome;
  const advantage = result.advantages.get(digest);
  if (advantage === undefined) {
    return skippedOutcome(outcome, result.reasons.get(digest) ?? "left-out");
  }
  return { ...outcome, ...(advantage !== null && { advantage }), step };
}
