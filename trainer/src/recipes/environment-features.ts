/** Checks that an environment offers what a rollout strategy requires. */
import { type EnvironmentSpec, requireSearch } from "@waggle/environments";
import type { EnvironmentFeature } from "@waggle/learning";
import { memoryOf } from "../rollouts/managed-turns.ts";
import { proposalsOf } from "../rollouts/task-proposals.ts";

const CHECKS: {
  readonly [feature in EnvironmentFeature]: (spec: EnvironmentSpec) => unknown;
} = {
  search: requireSearch,
  memory: memoryOf,
  proposals: proposalsOf,
  "searched-proposals": (spec) => requireSearch(proposalsOf(spec).proposer),
  "documented-proposals": (spec) => requireSearch(proposalsOf(spec, true).proposer),
};

/** @throws WaggleError `INVALID_ARGUMENT` for an environment without the feature. */
export async function requireFeature(
  feature: EnvironmentFeature,
  spec: EnvironmentSpec,
): Promise<void> {
  await CHECKS[feature](spec);
}
