/** The parts that recipes are made of, by slot, under the names of the literature. */

export { gae, gaeStep } from "./advantages/generalized-advantages.ts";
export { movingBaselineAdvantage } from "./advantages/moving-baseline.ts";
export { recalibrated } from "./advantages/recalibrated.ts";
export { reinforcePlusPlus } from "./advantages/reinforce-plus-plus.ts";
export { broadcast, groupAdvantage } from "./advantages/group-advantages.ts";
export { durationWeighted } from "./advantages/duration-weighted.ts";
export { leaveOneOut } from "./advantages/leave-one-out.ts";
export { lengthWeighted } from "./advantages/length-weighted-baseline.ts";
export { maximumLikelihood } from "./advantages/maximum-likelihood.ts";
export { bestOnly, passAtK } from "./advantages/pass-at-k.ts";
export { perAgent, perAgentTurns } from "./advantages/per-agent.ts";
export { setAdvantage } from "./advantages/set-advantages.ts";
export { splitAdvantage, splitComponents } from "./advantages/split-channels.ts";
export { batchNormalized } from "./advantages/batch-normalized.ts";
export { branchAttributed } from "./advantages/trajectory-tree.ts";
export { entropyWeighted } from "./advantages/entropy-weighted.ts";
export { likeObservations } from "./advantages/like-observations.ts";
export { mixedSteps } from "./advantages/step-mix.ts";
export { stateGroups } from "./advantages/state-groups.ts";
export { turnLevel } from "./advantages/turn-returns.ts";
export { rolloutsThat } from "./filters/selection.ts";
export { clean } from "./filters/clean.ts";
export { cleanCorrect } from "./filters/clean-correct.ts";
export { curated, curatedOfGenerators } from "./filters/curated.ts";
export { diversityMix } from "./filters/diversity-mix.ts";
export { entropySteps, stepMask } from "./filters/step-choice.ts";
export { longTail } from "./filters/long-tail.ts";
export { mixedGroup } from "./filters/mixed-groups.ts";
export { pairGap } from "./filters/value-gap-pairs.ts";
export { passRateBand } from "./filters/pass-rate-band.ts";
export { pivotVariance } from "./filters/pivot-variance.ts";
export { studentFail } from "./filters/student-failures.ts";
export { success } from "./filters/successes.ts";
export { verify } from "./filters/verified.ts";
export { cispo } from "./losses/policy/cispo.ts";
export { clipHigh, pgClip } from "./losses/policy/clipped-surrogate.ts";
export { covariancePenalty } from "./losses/policy/covariance-penalty.ts";
export { covMask } from "./corrections/covariance-mask.ts";
export { dualClip } from "./losses/policy/dual-clip.ts";
export { entropyBonus } from "./losses/policy/entropy-bonus.ts";
export { reinforce } from "./losses/policy/reinforce.ts";
export { sequenceRatio } from "./losses/policy/sequence-ratio.ts";
export { softGate } from "./losses/policy/soft-gate.ts";
export { spanMask } from "./losses/span-mask.ts";
export { stopGradientClip } from "./losses/policy/entropy-preserving-clip.ts";
export { trajectoryBalancing } from "./losses/policy/trajectory-balance.ts";
export { truncatedImportance } from "./corrections/importance-weights.ts";
export { twoSidedClip } from "./losses/policy/two-sided-clip.ts";
export {
  adaptiveEntropy,
  entropyStrength,
  entropyTarget,
} from "./losses/policy/adaptive-entropy.ts";
export { klCoefficient } from "./kl/adaptive-kl.ts";
export { distilledCandidates, distillation } from "./losses/imitation/distillation.ts";
export { logLinear } from "./corrections/log-linear-proximal.ts";
export { optimalTokenBaseline } from "./advantages/optimal-token-baseline.ts";
export {
  designEdits,
  designRisk,
  designs,
  designTree,
  designWorth,
} from "./gradient-free/design-search.ts";
export { evolutionStrategy, fitness, noiseSeed } from "./gradient-free/evolution-strategies.ts";
export { auxiliaries, ownFailures } from "./gradient-free/auxiliaries.ts";
export { caseValue, memoryWrite } from "./gradient-free/case-writes.ts";
export { judgeByLessons, rubricEdits } from "./gradient-free/evolving-judge.ts";
export { cases } from "./states/case-store.ts";
export { experience } from "./states/experience-library.ts";
export { prompts } from "./states/prompt-population.ts";
export { lessonEdits, promptEdits, semantic, stepLessons } from "./gradient-free/text-edits.ts";
export { addedDeltas } from "./merging/task-vectors.ts";
export { averagedDeltas, spherical } from "./merging/interpolation.ts";
export { breadcrumbs } from "./merging/sparse-deltas.ts";
export { orthogonalDeltas } from "./merging/orthogonal.ts";
export { reinforced } from "./merging/reinforced-merge.ts";
export { apo } from "./losses/preference/anchored-preference.ts";
export { chosenCrossEntropy } from "./losses/preference/chosen-cross-entropy.ts";
export { dpo } from "./losses/preference/dpo.ts";
export { ipo } from "./losses/preference/identity-preference.ts";
export { kto } from "./losses/preference/kto.ts";
export { orpo } from "./losses/preference/orpo.ts";
export { vrpo } from "./losses/preference/variance-reduced-preference.ts";
export {
  auxiliaryObservations,
  auxiliaryText,
  auxiliaryTurns,
} from "./losses/imitation/observation-loss.ts";
export { contrast } from "./losses/imitation/contrastive.ts";
export {
  crossEntropy,
  maskedCrossEntropy,
  shownCrossEntropy,
  speakersCrossEntropy,
  weighedCrossEntropy,
} from "./losses/imitation/supervised-loss.ts";
export { dft } from "./losses/imitation/dft.ts";
export { drawnShare, parameterSubset, upperLayers } from "./losses/parameter-subset.ts";
export { languageModel } from "./losses/imitation/language-model.ts";
export { returnConditioned } from "./losses/imitation/hindsight.ts";
export { unlikelihood } from "./losses/imitation/unlikelihood.ts";
export { importanceSampling } from "./losses/policy/importance-sampling.ts";
export { probabilityGap } from "./losses/policy/probability-gap.ts";
export { selfImitation } from "./losses/policy/self-imitation.ts";
export { variationalWeight } from "./losses/policy/variational-weight.ts";
export { divergenceMask, offPolicyMask } from "./corrections/divergence-masks.ts";
export {
  geometricBand,
  icePop,
  outlierVeto,
  sequenceBand,
  tokenBand,
} from "./corrections/band-masks.ts";
export { secondMoment } from "./corrections/second-moment-mask.ts";
export { geometricMean } from "./losses/policy/geometric-mean.ts";
export { accepted, chosenSucceeds, lastWords, votedPairs } from "./filters/accepted.ts";
export { observationLikeness } from "./rewards/observation-likeness.ts";
export { contrasted, retoldDemos, revision, traversal } from "./rollouts/retold.ts";
export { keptTrees, retold } from "./filters/retold.ts";
export { byRole } from "./advantages/by-role.ts";
export { lossOfRole } from "./losses/role-losses.ts";
export { managedMemory } from "./rollouts/managed-memory.ts";
export {
  ownMemory,
  deltas,
  demonstrators,
  judgement,
  processModelState,
  reference,
  rewardModelState,
  teacher,
  valueHead,
  unfinishedGroups,
  worldModel,
  temporary,
  notes,
  ownModel,
  ownSimulator,
  temperature,
  ownCorpus,
} from "./states/resources.ts";
export { remembered } from "./filters/remembered.ts";
export { workingMemory } from "./states/working-memory.ts";
export { bestProposals } from "./losses/value/best-proposals.ts";
export { tdBc } from "./losses/value/behavior-constraint.ts";
export { temporalDifference } from "./advantages/chunk-targets.ts";
export { bestLine, forks } from "./filters/forks.ts";
export { calibrated, monteCarlo, monteCarloTree } from "./advantages/continuation-values.ts";
export { searchTrees } from "./states/search-tree.ts";
export { tree } from "./rollouts/tree-search.ts";
export { CRITIC_WEIGHT, critic, outcomeRegression } from "./losses/value/value-loss.ts";
export { amongTries, settersAndSolvers } from "./advantages/proposal-advantages.ts";
export { answerableProposals } from "./filters/answerable-proposals.ts";
export { frontier } from "./rewards/frontier.ts";
export { readAndSolve, searchAndSolve, setAndSolve } from "./rollouts/proposals.ts";
export { averagedCopy } from "./states/slow-copy.ts";
export { byLevel, roleAdapters, takingTurns } from "./states/role-adapters.ts";
export { demonstrationPairs } from "./filters/demonstration-pairs.ts";
export {
  demosAgainstPast,
  seededTeacher,
  selfPlay,
  selfPlayAgainstPast,
  teamOf,
} from "./rollouts/teams.ts";
export { jointAdvantage, broadcastTurns } from "./advantages/joint-advantages.ts";
export { matchOutcome, team } from "./rewards/team-reward.ts";
export { opponents } from "./states/opponent-pool.ts";
export { roleSwap } from "./schedules/role-swap.ts";
export { speakerMask } from "./filters/speaker-mask.ts";
export {
  withoutOpponents,
  ownTrajectories,
  withoutRefused,
  withoutReferences,
} from "./filters/participants.ts";
export { rank } from "./losses/preference/rank.ts";
export { implicitProcess } from "./rewards/implicit-process.ts";
export { modelledProcess, rewardModel } from "./rewards/learned-rewards.ts";
export { calibration } from "./rewards/calibration.ts";
export { callBonus } from "./rewards/exploration-bonus.ts";
export { checklist } from "./rewards/checklist.ts";
export { economy } from "./rewards/economy.ts";
export { equivalent } from "./rewards/call-equivalence.ts";
export { exec } from "./rewards/exec.ts";
export { format } from "./rewards/format.ts";
export { gate, tiers, weighted } from "./rewards/combinators.ts";
export { judge } from "./rewards/judge.ts";
export { outcome, imaginedOutcome } from "./rewards/outcome.ts";
export { overlong } from "./rewards/length-shaping.ts";
export { preference } from "./rewards/preference.ts";
export { progress } from "./rewards/progress.ts";
export { redistribute, attributedProgress } from "./rewards/redistribute.ts";
export { rewardPart } from "./rewards/reward-part.ts";
export {
  asynchronous,
  group,
  modeStrata,
  retry,
  single,
  weights,
  searchingGroup,
} from "./rollouts/plain-rollouts.ts";
export { branchEntropy, branchVine } from "./rollouts/branch-entropy.ts";
export {
  demos,
  teacherDemos,
  toldDemos,
  casesAndNeighbors,
  competingDemos,
  evidencedTeachers,
  formedDemos,
  neighborDemos,
  visitedDemos,
} from "./rollouts/demonstrations.ts";
export { log, pivot, prefixReplay, stepReplay, takeover } from "./rollouts/stored-runs.ts";
export { difficultyCurriculum, horizonCurriculum } from "./schedules/horizon-curriculum.ts";
export { rate } from "./schedules/learning-rate.ts";
export { weightAnneal } from "./schedules/progress-curve.ts";
export { baseline } from "./states/moving-baseline.ts";
export { taskStats } from "./states/task-statistics.ts";
export { finishedGroups, isUnfinished } from "./filters/unfinished.ts";
export { partialRollouts } from "./rollouts/partial-rollout.ts";
export { answerF1 } from "./rewards/answer-match.ts";
export { answerable } from "./filters/answerable.ts";
export { groundedAnswer } from "./rewards/grounding.ts";
export { recoveredAnswer, recoveredRequest } from "./rewards/reconstruct.ts";
export { behaviour } from "./filters/behaviors.ts";
export { goodBuffer } from "./states/success-buffer.ts";
export { leftovers } from "./states/rest-buffer.ts";
export { recomposeLater, recompose } from "./filters/recompose.ts";
export { rehearsed } from "./filters/rehearsed.ts";
export { storedSuccess } from "./filters/stored-successes.ts";
export {
  pairedTools,
  randomEnvironments,
  selfAnswered,
  simulatedTools,
  trials,
  underContract,
} from "./rollouts/changed-environments.ts";
export { collateral } from "./filters/collateral.ts";
export { unsure } from "./filters/unsure.ts";
export { vote } from "./filters/vote.ts";
export { explainedFailures } from "./rollouts/explained-failures.ts";
export { bilevel, forQuery, learnsSupport, readsContext } from "./losses/imitation/fast-weights.ts";
export { treePacked } from "./losses/imitation/tree-packing.ts";
export { failuresReturn, taskWheel } from "./schedules/task-flywheel.ts";
export {
  foldingDemos,
  notedDemos,
  notedSingle,
  rememberedGroup,
  rememberedUser,
} from "./rollouts/folded.ts";
export { informationGain } from "./rewards/information-gain.ts";
export { introspection } from "./rollouts/introspection.ts";
export { payWeighted } from "./advantages/advantage-weights.ts";
export { judgedPreference } from "./rewards/judged-preference.ts";
export { specifications } from "./rewards/specifications.ts";
export { calibratedProcess } from "./rewards/calibrated-process.ts";
export { multiDimensional } from "./rewards/multi-dimensional.ts";
export { fitsProgress } from "./filters/fits-progress.ts";
export { progressEstimate } from "./states/progress-estimator.ts";
export { likeReference } from "./rewards/reference-likeness.ts";
export { riskPrediction, taskRisk } from "./filters/predicted-risk.ts";
export { criteriaByRule, ruleJudge } from "./rewards/rule-judge.ts";
export { ruleProcess } from "./rewards/rule-process.ts";
export { besideStored } from "./advantages/beside-stored.ts";
export { storedWins } from "./filters/stored-wins.ts";
export { setAfterForks } from "./advantages/set-credit.ts";
export { multiReference } from "./rewards/multi-reference.ts";
export { referencedGroup } from "./rollouts/several-references.ts";
export { userSimulation } from "./rollouts/simulated-user.ts";
export { inSituation, situationPairs } from "./filters/situations.ts";
export { selfExplored } from "./rollouts/situations.ts";
export { privatize } from "./filters/privatized.ts";
export { structuralTokens } from "./losses/policy/structural-tokens.ts";
export { measuredEntropy, temperatureTarget } from "./schedules/temperature-target.ts";
export { testTime } from "./schedules/test-time.ts";
export { thumbs } from "./rewards/thumbs.ts";
export { retrieved } from "./rewards/retrieval.ts";
export { auxiliaryToolNeed } from "./losses/imitation/tool-need.ts";
export { toolNeedLabels, whereToolsHelp } from "./filters/tool-benefit.ts";
