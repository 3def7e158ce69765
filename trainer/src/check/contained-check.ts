/**
 * Contains failures in the check of one trajectory. An unexpected exception, or a check that repeatedly
 * ended the process, rejects only that trajectory. Failures of the network, the storage or the
 * credential are not the trajectory's fault and are thrown.
 */
import { type LeasedTrajectory, WaggleError, type WaggleErrorCode } from "@waggle/protocol";
import type { CheckJournal } from "./check-journal.ts";
import type { Reporter } from "../metrics/reporter.ts";
import { stalenessOf, type TrainerState } from "../checkpoint/trainer-state.ts";
import type { CheckedTrajectory, TrajectoryChecker } from "./trajectory-check.ts";

/**
 * One crash may be the operator stopping the process at that moment; three at the same trajectory are
 * not.
 */
const MOST_CRASHES = 3;

/**
 * The checker with failures contained.
 * @throws the failure if it is one of the infrastructure.
 */
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
/** The boundary helper marks these as retryable, but they come from the trajectory's own replay. */
const REPLAY_CODES: ReadonlySet<WaggleErrorCode> = new Set([
  "REWARD_UNAVAILABLE",
  "TOOL_UNAVAILABLE",
]);

/** True for a failure that would also affect the next trajectory. */
function isInfrastructureFailure(error: unknown): boolean {
  if (WaggleError.is(error)) {
    return ACCESS_CODES.has(error.code) || (error.retryable && !REPLAY_CODES.has(error.code));
  }
  // `syscall`: an error of the operating system, such as a full disk.
  return error instanceof Error && (error.name === "AbortError" || "syscall" in error);
}

/** The first lines of the stack, which name the location. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error).slice(0, 300);
  return (error.stack ?? error.message).split("\n").slice(0, 4).join(" | ").slice(0, 600);
}
