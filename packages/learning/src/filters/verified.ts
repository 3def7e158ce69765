/**
 * `verify`: runs, tasks and labels that a program has checked. A check that could not run is not a
 * failed check: what it was about is left out, and counted apart.
 */
import { type Selection, selectBy } from "./selection.ts";

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
