/** Decides what an error in a learning step means for its trajectories. */
import { WaggleError } from "@waggle/protocol";

/**
 * The reason in their outcomes. `drift-limit`: the step moved the policy too far from the stable version. `few-senders`: the
 * bounds on senders left nothing of the step, for example because one or two would have decided it for others without a signal.
 */
export type StepFailure = "non-finite-gradient" | "step-failed" | "drift-limit" | "few-senders";

/** Consecutive failed steps after which the engine is considered to be at fault. */
export const MAX_FAILED_STEPS = 3;

/**
 * The reason for skipping the step's groups: one group that an engine cannot process must not end the
 * trainer at every start.
 *
 * @param earlier - consecutive failed steps before this one.
 * @throws the error itself if it is transient, if the run is being stopped, or if so many steps failed
 *   that the groups are not the cause.
 */
export function stepFailure(error: unknown, signal: AbortSignal, earlier: number): StepFailure {
  if (WaggleError.is(error, "NON_FINITE_VALUE")) return "non-finite-gradient";
  const mayPass = WaggleError.is(error) && error.retryable;
  if (signal.aborted || mayPass || earlier + 1 > MAX_FAILED_STEPS) throw error;
  return "step-failed";
}
