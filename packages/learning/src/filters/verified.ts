/**
 * `verify`: keeps trajectories, tasks and labels that passed a program's checks. A check that could not run
 * is not a failed check: its item is dropped, and the reason says so.
 */
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import { option, definePart } from "../composition/part-options.ts";
import type { FilterPart } from "../composition/part.ts";
import { filterPart, keepTrajectories } from "./filter-part.ts";
import { selectBy } from "./selection.ts";
import type { Selection } from "./selected.ts";

/** `error`: the check itself could not run. */
export type CheckResult = "pass" | "fail" | "error";

/** Keeps items that passed all their checks and had at least one. `[items][checks]`. */
export function verifiedOnly(results: readonly (readonly CheckResult[])[]): Selection {
  return selectBy(results, (checks) => {
    if (checks.length === 0) return "unchecked";
    if (checks.includes("fail")) return "failed-check";
    return checks.includes("error") ? "check-broke" : null;
  });
}

/**
 * `verify`: keeps trajectories that pass all checks, or any of them. Default checks: the verifier's success
 * and a terminated trajectory.
 */
export function verify(
  checks: (trajectory: JudgedTrajectory) => readonly boolean[] = ({
    verification,
    record: trajectory,
  }) => [verification.success, trajectory.terminated],
  passes?: "all" | "any",
): FilterPart {
  return definePart({ checks: option(passes, "all", ["all", "any"]) }, (given) =>
    filterPart("verify", (groups) =>
      keepTrajectories(groups, (all) =>
        verifiedOnly(
          all.map(({ trajectory }) => {
            const passed = checks(trajectory);
            const results = given.checks === "any" ? [passed.includes(true)] : passed;
            return results.map((result) => (result ? "pass" : "fail"));
          }),
        ),
      ),
    ),
  );
}
