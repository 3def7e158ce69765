/**
 * Keeps a failure inside the check of one trajectory. An unexpected exception, or a check that ended
 * the process several times, rejects that trajectory and no other. Failures of the network, the
 * storage or the credential say nothing about a trajectory and are thrown.
 */
import { type LeasedTrajectory, WaggleError, type WaggleErrorCode } from "@waggle/protocol";
import type { CheckJournal } from "./check-journal.ts";
import type { Reporter } from "../metrics/reporter.ts";
import { stalenessOf, type TrainerState } from "../checkpoint/trainer-state.ts";
import type { CheckedTrajectory, TrajectoryChecker } from "./trajectory-check.ts";

/** One crash may be a kill by the operator at that moment; three at one trajectory are not. */
const MOST_CRASHES = 3;

export function containCheck(
  checker: TrajectoryChecker,
  journal: CheckJournal,
  report: Reporter,
): TrajectoryChecker {
  return {
    async check(leased, group, state) {
      const crashes = journal.crashesOf(leased.digest);
      if (crashes >= MOST_CRASHES) {
        report.note("check-crashed", { digest: leased.digest, crashes });
        return rejected(leased, state, "check-crashed");
      }
      await journal.begin(leased.digest);
      try {
        return await checker.check(leased, group, state);
      } catch (error) {
        if (isInfrastructureFailure(error)) throw error;
        report.note("check-failed", { digest: leased.digest, cause: describe(error) });
        return rejected(leased, state, "check-failed");
      } finally {
        await journal.end();
      }
    },
  };
}

function rejected(
  { digest, trajectory }: LeasedTrajectory,
  state: TrainerState,
  reason: string,
): CheckedTrajectory {
  const staleness = stalenessOf(state, trajectory.policyVersion);
  return { trajectory: null, outcome: { digest, status: "rejected", reason, staleness } };
}

const ACCESS_CODES: ReadonlySet<WaggleErrorCode> = new Set(["UNAUTHENTICATED", "FORBIDDEN"]);
/** Marked as retryable by the boundary helper, but they come from the trajectory's own replay. */
const REPLAY_CODES: ReadonlySet<WaggleErrorCode> = new Set([
  "REWARD_UNAVAILABLE",
  "TOOL_UNAVAILABLE",
]);

/** True for a failure that the next trajectory would meet as well. */
function isInfrastructureFailure(error: unknown): boolean {
  if (WaggleError.is(error)) {
    return ACCESS_CODES.has(error.code) || (error.retryable && !REPLAY_CODES.has(error.code));
  }
  // `syscall`: the operating system refused, such as a full disk.
  return error instanceof Error && (error.name === "AbortError" || "syscall" in error);
}

/** The first lines of the stack, which name the place. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error).slice(0, 300);
  return (error.stack ?? error.message).split("\n").slice(0, 4).join(" | ").slice(0, 600);
}
