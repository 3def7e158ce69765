/** Who sets tasks of an environment and who solves them. */
import type { EnvironmentSpec } from "@waggle/environments";
import { WaggleError } from "@waggle/protocol";
import type { PlanOf } from "./strategy.ts";

/** @throws WaggleError `INVALID_ARGUMENT` for an environment whose tasks cannot be set, or not from documents. */
export function proposalsOf(
  { name, proposals, documented }: EnvironmentSpec,
  searches?: PlanOf<"proposals">["searches"],
): NonNullable<EnvironmentSpec["proposals"]> {
  const isFromDocuments = searches === "setter";
  const own = isFromDocuments ? documented : proposals;
  if (own !== undefined) return own;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    isFromDocuments
      ? `an environment must have documents that tasks are set from and solved without, got ${name}; run it in calculator`
      : `an environment must take proposals for self-play between who sets and who solves tasks, got ${name}; run it in calculator or lookup`,
  );
}
