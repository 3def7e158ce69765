/** Public entry: recipes, their stages, and the functions with which a trainer runs them. */
export { groupRelativeAdvantages } from "./advantages/group-advantages.ts";
export { derivativeMasses, gradientMasses } from "./influence/gradient-mass.ts";
export { influenceFactors, massByName, scaledMasses } from "./influence/influence-bound.ts";
export { hasOneAdvantage, meanAdvantage, shuffledAdvantages } from "./advantages/mean-advantage.ts";
export type { WriterPort } from "./advantages/semantic-comparison.ts";
export { shuffled } from "./advantages/shuffle.ts";
export { signalInfluence } from "./influence/signal-influence.ts";
export type { ArrangementName } from "./composition/arrangement.ts";
export { partsOf, recipe, usedParts } from "./composition/definition.ts";
export type { CreateRecipe, Recipe, Settings } from "./composition/definition.ts";
export {
  sampledTokens,
  toJudgedTrajectory,
  toolCalls,
  toolErrors,
} from "./composition/judged-trajectory.ts";
export type {
  JudgedGroup,
  JudgedTrajectory,
  JudgedTrajectoryOptions,
  JudgedTurn,
} from "./composition/judged-trajectory.ts";
export { planMinibatch } from "./composition/minibatch.ts";
export type { PlannedMinibatch, Row } from "./composition/minibatch.ts";
export type {
  AdvantagePart,
  AdvantageRows,
  EnvironmentMeasure,
  FeedbackWeights,
  FilterPart,
  LossPart,
  Minibatch,
  Observed,
  PartContext,
  PartPorts,
  PolicyOutputs,
  ProcessLogProbs,
  RewardedGroup,
  RewardedTrajectory,
  RewardPart,
  RolloutPart,
  StateChange,
  StateValues,
} from "./composition/part.ts";
export { readStates } from "./composition/reading.ts";
export type { ReadBefore } from "./composition/reading.ts";
export { requireCapabilities } from "./composition/requirements.ts";
export { tokenOwners, turnRoles } from "./composition/roles.ts";
export type { CallRoles, Roles, TurnPlace } from "./composition/roles.ts";
export type {
  DemonstrationOptions,
  FoldedOptions,
  Introspection,
  RolloutChanges,
  RolloutDriver,
  TeamMember,
} from "./composition/rollout-driver.ts";
export type {
  RolloutRequirement,
  ParameterNoise,
  RolloutStrategy,
} from "./composition/rollout-strategy.ts";
export { taskName, taskOf } from "./composition/task-names.ts";
export { filterGroups, rewardGroup, rewardGroups } from "./composition/reward-groups.ts";
export type { Kept } from "./composition/reward-groups.ts";
export {
  initialValues,
  mergeStage,
  rewardModelStage,
  rewardStage,
  settingsAt,
  tokenStage,
  writingStage,
} from "./composition/stage.ts";
export type { KlTerm, Stage, StepSettings } from "./composition/stage.ts";
export { stageLoss } from "./composition/stage-loss.ts";
export type { StateName } from "./composition/state.ts";
export { write } from "./composition/writing.ts";
export { drawGap } from "./corrections/draw-gap.ts";
export { effectiveSamples } from "./corrections/effective-sample-size.ts";
export { boundedBehaviorLogProbs, isInsideBand, logProbGap } from "./corrections/log-prob-gap.ts";
export type { LogProbBand } from "./corrections/log-prob-gap.ts";
export { mismatchMetrics, offPolicyMetrics } from "./corrections/mismatch.ts";
export { hasSignal } from "./filters/group-filter.ts";
export { fitnessWeights } from "./gradient-free/evolution-strategies.ts";
export { mirroredPerturbations } from "./gradient-free/perturbation.ts";
export type { PerturbationReward } from "./gradient-free/perturbation.ts";
export { movesInPages, perturbed, withPerturbation } from "./gradient-free/seeded-noise.ts";
export { sampledKl } from "./kl/kl-estimators.ts";
export { nextKlTerm, withKlPenalty } from "./kl/kl-term.ts";
export { concatenatedLosses, jointNorm, meanMetrics, toTokenDerivatives } from "./loss.ts";
export type { LossResult } from "./loss.ts";
export { withOuterStep } from "./losses/imitation/fast-weights.ts";
export { supervisedLoss } from "./losses/imitation/supervised-loss.ts";
export { entropyBonusLoss } from "./losses/policy/entropy-bonus.ts";
export { mismatchedPairs } from "./losses/preference/mismatched-pairs.ts";
export { adapterSum } from "./merging/adapter-sums.ts";
export { chosenMerge } from "./merging/merge-choice.ts";
export { withTrained } from "./merging/parameter-subsets.ts";
export { taskVector, withTaskVectors } from "./merging/task-vectors.ts";
export { literatureStates, otherRecipes, recipeNamed, RECIPES } from "./recipes/catalogue.ts";
export { inferredParts } from "./recipes/literature.ts";
export { demonstrationStart } from "./recipes/stages/demonstration-start.ts";
export { groupReinforcement } from "./recipes/stages/group-reinforcement.ts";
export { feedbackVerdict } from "./rewards/feedback.ts";
export type { JudgePort } from "./rewards/judge-port.ts";
export { drawEnvironment } from "./rollouts/env-random.ts";
export { REFUSED } from "./rollouts/environment-change.ts";
export type { EnvironmentChange } from "./rollouts/environment-change.ts";
export { goesOn } from "./rollouts/multi-trial.ts";
export { continuedBy, tokenVersions } from "./rollouts/partial-rollout.ts";
export type { Retelling } from "./rollouts/retelling.ts";
export {
  afterFlowEvent,
  beginnable,
  canLearn,
  flowVersion,
  rolloutFlow,
} from "./rollouts/rollout-flow.ts";
export type { FlowEvent, FlowLimits, RolloutFlow } from "./rollouts/rollout-flow.ts";
export { constantRate, cosineRate, warmedUpRate } from "./schedules/learning-rate.ts";
export type { LearningRate } from "./schedules/learning-rate.ts";
export type { CaseStore } from "./states/case-store.ts";
export type { ExperienceLibrary } from "./states/experience-library.ts";
export { guidanceOf, guidanceReading } from "./states/guidance.ts";
export { memoryBank, operateMemory } from "./states/memory-bank.ts";
export type { MemoryBank } from "./states/memory-bank.ts";
export { addOpponent } from "./states/opponent-pool.ts";
export type { OpponentPool } from "./states/opponent-pool.ts";
export type { PromptPopulation } from "./states/prompt-population.ts";
export { readingText } from "./states/reading-text.ts";
export { averagedWeights } from "./states/slow-copy.ts";
export type { LossMask, TokenRows } from "./token-rows.ts";
