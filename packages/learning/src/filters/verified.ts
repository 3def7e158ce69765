/**
 * `verify`: runs, tasks and labels that a program has checked. A check that could not run is not a
 * failed check: what it was about is left out, and counted apart.
 */
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import { option, definePart } from "../composition/part-options.ts";
import type { FilterPart } from "../composition/part.ts";
import { filterPart, keepTrajectories } from "./filter-part.ts";
import { selectBy } from "./selection.ts";
import type { Selection } from "./selected.ts";

/** `error`: the check itself broke. */
export type CheckResult = "pass" | "fail" | "error";

/** Keeps what passed all its checks and had at least one. `[items][checks]`. */
export function verifiedOnly(results: readonly (readonly CheckResult[])[]): Selection {
  return selectBy(results, (checks) => {
    if (checks.length === 0) return "unchecked";
    if (checks.includes("fail")) return "failed-check";
    return checks.includes("error") ? "check-broke" : null;
  });
}

/**
 * `verify`: what passes every check, or any of them; the verifier's word and a whole ending unless others
 * are given.
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
