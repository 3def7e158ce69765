/**
 * Checks that an environment accepts proposed tasks, for self-play between a proposer and a solver.
 */
import type { EnvironmentSpec } from "@waggle/environments";
import { WaggleError } from "@waggle/protocol";

/**
 * @param areDocumented - whether only the proposer has documents
 * @throws WaggleError `INVALID_ARGUMENT` for an environment whose tasks cannot be set, or not from documents.
 */
export function proposalsOf(
  { name, proposals, documented }: EnvironmentSpec,
  areDocumented = false,
): NonNullable<EnvironmentSpec["proposals"]> {
  const own = areDocumented ? documented : proposals;
  if (own !== undefined) return own;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    areDocumented
      ? `tasks set from documents need an environment whose tasks can be solved without them, got ${name}; run the recipe in calculator`
      : `self-play needs an environment that accepts proposed tasks, got ${name}; run the recipe in calculator or lookup`,
  );
}
