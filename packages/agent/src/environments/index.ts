/**
 * Rollouts in environments of `@waggle/environments`, with their verifiers and demonstrators. An entry of its
 * own, so that a page whose agent does not practice does not load the environments.
 */
export { DEFAULT_TURN_TOKENS, environmentRollout, judged } from "./environment-rollout.ts";
export type {
  ActingPolicy,
  EnvironmentRollout,
  EnvironmentRolloutOptions,
} from "./environment-rollout.ts";
export { judgedRollout } from "./judged-rollout.ts";
export type { JudgedRolloutParts } from "./judged-rollout.ts";
export { scriptedRollout, turnTokens } from "./scripted-rollout.ts";
export { demonstratedRollout } from "./demonstrated-rollout.ts";
export { repeatedDemonstrator, saying } from "./demonstrators.ts";
export { foldedDemonstration } from "./folded-demonstration.ts";
export { introspectiveRollout } from "./introspective-rollout.ts";
export { managedRollout } from "./managed-memory.ts";
export { modeledEnvironment } from "./modeled-environment.ts";
export { roleRollout } from "./role-rollout.ts";
export type { ActingRoles } from "./role-rollout.ts";
export { sharedRollout } from "./shared-rollout.ts";
export { takeover } from "./takeover.ts";
