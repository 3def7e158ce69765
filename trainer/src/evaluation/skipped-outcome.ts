/** Outcomes of rollouts that passed the checks and are not learned from, or not as they are. */
import type { TrajectoryOutcome } from "@waggle/protocol";

/** The sender is in quarantine. */
export const QUARANTINED = "quarantined";
/** A page tool is said to have failed. */
export const PAGE_TOOL_FAILED = "page-tool-failed";

/** The outcome of a checked rollout that is not learned from. A claimed failure stays, because the edge counts it. */
export function skippedOutcome(outcome: TrajectoryOutcome, reason: string): TrajectoryOutcome {
  const isClaimed = outcome.reason === PAGE_TOOL_FAILED;
  return { ...outcome, status: "skipped", reason: isClaimed ? PAGE_TOOL_FAILED : reason };
}
