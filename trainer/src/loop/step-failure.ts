/** What an error in a learning step means for the trajectories that it was to learn from. */
import { WaggleError } from "@waggle/protocol";

/** The reason their outcomes carry. */
export type StepFailure = "non-finite-gradient" | "step-failed";

/** Steps in a row that may fail before the engine itself is taken to be at fault. */
export const MAX_FAILED_STEPS = 3;

/**
 * The reason to skip the groups of the step: one group that no engine can learn from must not end the
 * trainer at every start.
 *
 * @param earlier - steps that failed in a row before this one.
 * @throws the error itself where it may pass by itself, where the run is being stopped, or where so
 *   many steps failed that the groups are not the cause.
 */
export function stepFailure(error: unknown, signal: AbortSignal, earlier: number): StepFailure {
  if (WaggleError.is(error, "NON_FINITE_VALUE")) return "non-finite-gradient";
  const mayPass = WaggleError.is(error) && error.retryable;
  if (signal.aborted || mayPass || earlier + 1 > MAX_FAILED_STEPS) throw error;
  return "step-failed";
}
