/** Rollout decisions: where to branch and go on, when to stop, whom to meet; who drives is elsewhere. */
export { branchProbability } from "./branch-entropy.ts";
export type { BranchRule } from "./branch-entropy.ts";
export type { DemonstrationForm } from "./demonstration-form.ts";
export { drawEnvironment } from "./env-random.ts";
export type { Range, World, EnvironmentRanges } from "./env-random.ts";
export { goesOn } from "./multi-trial.ts";
export { continuedBy, tokenVersions } from "./partial-rollout.ts";
export {
  afterEvent,
  freeCapacity,
  isTooStale,
  rolloutCapacity,
  waitingCount,
} from "./rollout-capacity.ts";
export type { CapacityEvent, CapacityLimits, RolloutCapacity } from "./rollout-capacity.ts";
export { afterFlowEvent, beginnable, canLearn, flowVersion, rolloutFlow } from "./rollout-flow.ts";
export type {
  FlowCounts,
  FlowEvent,
  FlowLimits,
  FlowRollout,
  RolloutFlow,
} from "./rollout-flow.ts";
export { searchedTree, whereToGoOn } from "./tree-search.ts";
export type { SearchedRollout } from "./tree-search.ts";
export { principalLine } from "./tree-selection.ts";
export type { TreeRule } from "./tree-selection.ts";
export { REFUSED } from "./environment-change.ts";
export type { EnvironmentChange } from "./environment-change.ts";
