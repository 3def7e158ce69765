/** Checks that an environment offers what a rollout strategy requires. */
import { type EnvironmentSpec, memoryOf, proposalsOf, requireSearch } from "@waggle/environments";
import type { RolloutRequirement } from "@waggle/learning";

const CHECKS: {
  readonly [requirement in RolloutRequirement]: (spec: EnvironmentSpec) => unknown;
} = {
  search: requireSearch,
  memory: memoryOf,
  proposals: proposalsOf,
  "searched-proposals": (spec) => requireSearch(proposalsOf(spec).proposer),
  "documented-proposals": (spec) => requireSearch(proposalsOf(spec, true).proposer),
};

/** @throws WaggleError `INVALID_ARGUMENT` for an environment without it. */
export async function requireRollout(
  requirement: RolloutRequirement,
  spec: EnvironmentSpec,
): Promise<void> {
  await CHECKS[requirement](spec);
}
