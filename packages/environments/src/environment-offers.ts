/** What only some environments offer: tasks that can be proposed, and a memory. The others are refused by name. */
import { WaggleError } from "@waggle/protocol";
import type { EnvironmentSpec } from "./environment-spec.ts";

/**
 * The proposals that an environment accepts, for self-play between a proposer and a solver.
 *
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
      ? `the tasks of ${name} cannot be solved without documents, which this recipe shows to the proposer only; run it in calculator`
      : `${name} accepts no proposed tasks, which self-play needs; run the recipe in calculator or lookup`,
  );
}

/** The environment's memory. @throws WaggleError `INVALID_ARGUMENT` for an environment without one. */
export function memoryOf({
  name,
  memory,
}: EnvironmentSpec): NonNullable<EnvironmentSpec["memory"]> {
  if (memory !== undefined) return memory;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `${name} has no memory, which managed turns need; run the recipe in diary`,
  );
}
