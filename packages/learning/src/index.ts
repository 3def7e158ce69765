/** Advantages, losses, corrections and recipes: pure functions on plain numbers. */

export { clippedSurrogate } from "./losses/policy/clipped-surrogate.ts";
export type { AbsoluteBounds, ClipBounds, RatioBounds } from "./losses/policy/ratio-bounds.ts";
export type { BehaviorBatch, PolicyBatch, ProximalBatch } from "./losses/policy/policy-loss.ts";
export { tokenShares } from "./losses/aggregation.ts";
export type { AggregatedRows, Aggregation, AggregationOption } from "./losses/aggregation.ts";
export { entropyBonusLoss } from "./losses/policy/entropy-bonus.ts";
export { groupRelativeAdvantages } from "./advantages/group-advantages.ts";
export type { GroupAdvantageOptions } from "./advantages/group-advantages.ts";
export { zeroVarianceFilter } from "./filters/group-filter.ts";
export type { FilterReason, GroupFilter } from "./filters/group-filter.ts";
export { truncatedImportanceWeights } from "./corrections/importance-weights.ts";
export type { ImportanceWeights } from "./corrections/importance-weights.ts";
export { constantRate, cosineRate, warmedUpRate } from "./schedules/learning-rate.ts";
export type { LearningRate } from "./schedules/learning-rate.ts";
export { boundedBehaviorLogProbs, isInsideBand, logProbGap } from "./corrections/log-prob-gap.ts";
export type { LogProbBand, LogProbGap } from "./corrections/log-prob-gap.ts";
export { addLosses, scaleLoss, toTokenDerivatives } from "./loss.ts";
export type { CandidateDerivatives, LossDerivatives, LossResult } from "./loss.ts";
export { requireCapabilities } from "./composition/requirements.ts";
export { shuffled } from "./advantages/shuffle.ts";
export { supervisedLoss } from "./losses/imitation/supervised-loss.ts";
export type { SupervisedBatch } from "./losses/imitation/supervised-loss.ts";
export { lossTokenCount } from "./token-rows.ts";
export type { LossMask, TokenRows } from "./token-rows.ts";
export type { ArrangementName } from "./composition/arrangement.ts";
export { oneOf, partsOf, recipe } from "./composition/definition.ts";
export type { CreateRecipe, Recipe, RecipeDefinition, Settings } from "./composition/definition.ts";
export {
  sampledTokens,
  toJudgedTrajectory,
  toolCalls,
  toolErrors,
} from "./composition/judged-trajectory.ts";
export type {
  JudgedTrajectory,
  JudgedGroup,
  JudgedTrajectoryOptions,
  JudgedTurn,
} from "./composition/judged-trajectory.ts";
export { planMinibatch } from "./composition/minibatch.ts";
export type { PlannedMinibatch, Row } from "./composition/minibatch.ts";
export type {
  AdvantagePart,
  AdvantageRows,
  FilterPart,
  Filtered,
  LossPart,
  Minibatch,
  Observed,
  PartContext,
  PartPorts,
  PolicyOutputs,
  ProcessLogProbs,
  RewardPart,
  RolloutPart,
  Score,
  RewardedTrajectory,
  RewardedGroup,
  Start,
  StateChange,
  StateValues,
} from "./composition/part.ts";
export type { CustomRollout } from "./composition/custom-rollout.ts";
export type { Retelling, Retells, RolloutPlan } from "./composition/rollout-plan.ts";
export { readStates } from "./composition/reading.ts";
export type { ReadBefore, ReadingRequest } from "./composition/reading.ts";
export { write } from "./composition/writing.ts";
export type { Written } from "./composition/writing.ts";
export { tokenOwners, turnRoles } from "./composition/roles.ts";
export type { CallRoles, Roles, TurnPlace } from "./composition/roles.ts";
export { filterGroups, rewardGroup, rewardGroups } from "./composition/score-groups.ts";
export type { Kept } from "./composition/score-groups.ts";
export {
  evolutionStage,
  initialValues,
  mergeStage,
  pairStage,
  processModelStage,
  rewardModelStage,
  rewardStage,
  settingsAt,
  tokenStage,
  writingStage,
} from "./composition/stage.ts";
export type { KlTerm, SchedulePart, Stage, StepSettings } from "./composition/stage.ts";
export { kept, resource } from "./composition/state.ts";
export type { ResourceName, StateName, StatePart, ValueName } from "./composition/state.ts";
export { literatureStates, otherRecipes, recipeNamed, RECIPES } from "./recipes/catalogue.ts";
export type { RowState } from "./recipes/catalogue.ts";
export { demonstrationStart } from "./recipes/stages/demonstration-start.ts";
export { groupReinforcement } from "./recipes/stages/group-reinforcement.ts";
export { inferredParts } from "./recipes/literature.ts";
export type { LiteratureRow, SlotName } from "./recipes/literature.ts";
export { klLoss } from "./kl/kl-loss.ts";
export type { KlBatch, KlForm } from "./kl/kl-loss.ts";
export { klRewards } from "./kl/kl-rewards.ts";
