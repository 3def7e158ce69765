/**
 * Public entry: the parts for recipes, by slot. A part that only one paper uses is not exported here; its
 * recipe imports it directly.
 */
export { batchNormalized } from "./advantages/batch-normalized.ts";
export { temporalDifference } from "./advantages/chunk-targets.ts";
export { monteCarlo, monteCarloTree } from "./advantages/continuation-values.ts";
export { durationWeighted } from "./advantages/duration-weighted.ts";
export { entropyWeighted } from "./advantages/entropy-weighted.ts";
export { gae, gaeStep } from "./advantages/generalized-advantages.ts";
export { broadcast, groupAdvantage } from "./advantages/group-advantages.ts";
export { broadcastTurns, jointAdvantage } from "./advantages/joint-advantages.ts";
export { leaveOneOut } from "./advantages/leave-one-out.ts";
export { lengthWeighted } from "./advantages/length-weighted-baseline.ts";
export { likeObservations } from "./advantages/like-observations.ts";
export { maximumLikelihood } from "./advantages/maximum-likelihood.ts";
export { movingBaselineAdvantage } from "./advantages/moving-baseline.ts";
export { optimalTokenBaseline } from "./advantages/optimal-token-baseline.ts";
export { bestOnly, passAtK } from "./advantages/pass-at-k.ts";
export { perAgent, perAgentTurns } from "./advantages/per-agent.ts";
export { amongTries } from "./advantages/proposal-advantages.ts";
export { recalibrated } from "./advantages/recalibrated.ts";
export { reinforcePlusPlus } from "./advantages/reinforce-plus-plus.ts";
export { setAdvantage } from "./advantages/set-advantages.ts";
export { splitAdvantage, splitComponents } from "./advantages/split-channels.ts";
export { stateGroups } from "./advantages/state-groups.ts";
export { mixedSteps } from "./advantages/step-mix.ts";
export { branchAttributed } from "./advantages/trajectory-tree.ts";
export { turnLevel } from "./advantages/turn-returns.ts";
export {
  geometricBand,
  icePop,
  outlierVeto,
  sequenceBand,
  tokenBand,
} from "./corrections/band-masks.ts";
export { covMask } from "./corrections/covariance-mask.ts";
export { divergenceMask, offPolicyMask } from "./corrections/divergence-masks.ts";
export { truncatedImportance } from "./corrections/importance-weights.ts";
export { logLinear } from "./corrections/log-linear-proximal.ts";
export { secondMoment } from "./corrections/second-moment-mask.ts";
export { accepted } from "./filters/accepted.ts";
export { answerableProposals } from "./filters/answerable-proposals.ts";
export { behavior } from "./filters/behaviors.ts";
export { cleanCorrect } from "./filters/clean-correct.ts";
export { clean } from "./filters/clean.ts";
export { curated, curatedTasks } from "./filters/curated.ts";
export { diversityMix } from "./filters/diversity-mix.ts";
export { forks } from "./filters/forks.ts";
export { longTail } from "./filters/long-tail.ts";
export { mixedGroup } from "./filters/mixed-groups.ts";
export { ownTrajectories, withoutOpponents } from "./filters/participants.ts";
export { passRateBand } from "./filters/pass-rate-band.ts";
export { pivotVariance } from "./filters/pivot-variance.ts";
export { recompose } from "./filters/recompose.ts";
export { rehearsed } from "./filters/rehearsed.ts";
export { remembered } from "./filters/remembered.ts";
export { retold } from "./filters/retold.ts";
export { rolloutsThat } from "./filters/selection.ts";
export { entropySteps, stepMask } from "./filters/step-choice.ts";
export { storedSuccess } from "./filters/stored-successes.ts";
export { studentFail } from "./filters/student-failures.ts";
export { success } from "./filters/successes.ts";
export { pairGap } from "./filters/value-gap-pairs.ts";
export { verify } from "./filters/verified.ts";
export { vote } from "./filters/vote.ts";
export { caseValue, memoryWrite } from "./gradient-free/case-writes.ts";
export { evolutionStrategy, fitness, noiseSeed } from "./gradient-free/evolution-strategies.ts";
export { lessonEdits, promptEdits, semantic, stepLessons } from "./gradient-free/text-edits.ts";
export { klCoefficient } from "./kl/adaptive-kl.ts";
export { contrast } from "./losses/imitation/contrastive.ts";
export { dft } from "./losses/imitation/dft.ts";
export { distillation, distilledCandidates } from "./losses/imitation/distillation.ts";
export { bilevel } from "./losses/imitation/fast-weights.ts";
export { feedbackConditioned, returnConditioned } from "./losses/imitation/hindsight.ts";
export { languageModel } from "./losses/imitation/language-model.ts";
export { auxiliaryObservations, auxiliaryTurns } from "./losses/imitation/observation-loss.ts";
export {
  crossEntropy,
  maskedCrossEntropy,
  shownCrossEntropy,
} from "./losses/imitation/supervised-loss.ts";
export { unlikelihood } from "./losses/imitation/unlikelihood.ts";
export { drawnShare, parameterSubset } from "./losses/parameter-subset.ts";
export {
  adaptiveEntropy,
  entropyStrength,
  entropyTarget,
} from "./losses/policy/adaptive-entropy.ts";
export { cispo } from "./losses/policy/cispo.ts";
export { clipHigh, pgClip } from "./losses/policy/clipped-surrogate.ts";
export { covariancePenalty } from "./losses/policy/covariance-penalty.ts";
export { dualClip } from "./losses/policy/dual-clip.ts";
export { entropyBonus } from "./losses/policy/entropy-bonus.ts";
export { stopGradientClip } from "./losses/policy/entropy-preserving-clip.ts";
export { geometricMean } from "./losses/policy/geometric-mean.ts";
export { importanceSampling } from "./losses/policy/importance-sampling.ts";
export { probabilityGap } from "./losses/policy/probability-gap.ts";
export { reinforce } from "./losses/policy/reinforce.ts";
export { selfImitation } from "./losses/policy/self-imitation.ts";
export { sequenceRatio } from "./losses/policy/sequence-ratio.ts";
export { softGate } from "./losses/policy/soft-gate.ts";
export { trajectoryBalancing } from "./losses/policy/trajectory-balance.ts";
export { twoSidedClip } from "./losses/policy/two-sided-clip.ts";
export { variationalWeight } from "./losses/policy/variational-weight.ts";
export { apo } from "./losses/preference/anchored-preference.ts";
export { chosenCrossEntropy } from "./losses/preference/chosen-cross-entropy.ts";
export { dpo } from "./losses/preference/dpo.ts";
export { ipo } from "./losses/preference/identity-preference.ts";
export { kto } from "./losses/preference/kto.ts";
export { orpo } from "./losses/preference/orpo.ts";
export { rank } from "./losses/preference/rank.ts";
export { vrpo } from "./losses/preference/variance-reduced-preference.ts";
export { spanMask } from "./losses/span-mask.ts";
export { tdBc } from "./losses/value/behavior-constraint.ts";
export { critic, CRITIC_WEIGHT, outcomeRegression } from "./losses/value/value-loss.ts";
export { averagedDeltas, spherical } from "./merging/interpolation.ts";
export { orthogonalDeltas } from "./merging/orthogonal.ts";
export { reinforced } from "./merging/reinforced-merge.ts";
export { breadcrumbs } from "./merging/sparse-deltas.ts";
export { addedDeltas } from "./merging/task-vectors.ts";
export { answerF1 } from "./rewards/answer-match.ts";
export { calibratedProcess } from "./rewards/calibrated-process.ts";
export { calibration } from "./rewards/calibration.ts";
export { equivalent } from "./rewards/call-equivalence.ts";
export { checklist } from "./rewards/checklist.ts";
export { closeness } from "./rewards/closeness.ts";
export { gate, tiers, weighted } from "./rewards/combinators.ts";
export { economy } from "./rewards/economy.ts";
export { exec } from "./rewards/exec.ts";
export { callBonus } from "./rewards/exploration-bonus.ts";
export { format } from "./rewards/format.ts";
export { frontier } from "./rewards/frontier.ts";
export { groundedAnswer } from "./rewards/grounding.ts";
export { implicitProcess } from "./rewards/implicit-process.ts";
export { informationGain } from "./rewards/information-gain.ts";
export { judge } from "./rewards/judge.ts";
export { judgedPreference } from "./rewards/judged-preference.ts";
export { modeledProcess, rewardModel } from "./rewards/learned-rewards.ts";
export { overlong } from "./rewards/length-shaping.ts";
export { multiDimensional } from "./rewards/multi-dimensional.ts";
export { imaginedOutcome, outcome } from "./rewards/outcome.ts";
export { preference } from "./rewards/preference.ts";
export { progress } from "./rewards/progress.ts";
export { redistribute } from "./rewards/redistribute.ts";
export { rewardPart } from "./rewards/reward-part.ts";
export { ruleJudge } from "./rewards/rule-judge.ts";
export { ruleProcess } from "./rewards/rule-process.ts";
export { specifications } from "./rewards/specifications.ts";
export { matchOutcome, team } from "./rewards/team-reward.ts";
export { feedback } from "./rewards/feedback.ts";
export { branchEntropy, branchVine } from "./rollouts/branch-entropy.ts";
export {
  pairedTools,
  randomEnvironments,
  selfAnswered,
  simulatedTools,
  trials,
} from "./rollouts/changed-environments.ts";
export { demos, formedDemos, teacherDemos, toldDemos } from "./rollouts/demonstrations.ts";
export { explainedFailures } from "./rollouts/explained-failures.ts";
export { log } from "./rollouts/logged-trajectories.ts";
export { managedMemory } from "./rollouts/managed-memory.ts";
export {
  asynchronous,
  group,
  modeStrata,
  searchingGroup,
  single,
  weights,
} from "./rollouts/plain-rollouts.ts";
export { readAndSolve, searchAndSolve, setAndSolve } from "./rollouts/proposals.ts";
export { retry } from "./rollouts/retries.ts";
export { traversal } from "./rollouts/retold.ts";
export { userSimulation } from "./rollouts/simulated-user.ts";
export { pivot, prefixReplay, stepReplay } from "./rollouts/stored-runs.ts";
export { takeover } from "./rollouts/takeover.ts";
export { demosAgainstPast, selfPlay, selfPlayAgainstPast, teamOf } from "./rollouts/teams.ts";
export { tree } from "./rollouts/tree-search.ts";
export { difficultyCurriculum, horizonCurriculum } from "./schedules/horizon-curriculum.ts";
export { rate } from "./schedules/learning-rate.ts";
export { weightAnneal } from "./schedules/progress-curve.ts";
export { measuredEntropy, temperatureTarget } from "./schedules/temperature-target.ts";
export { testTime } from "./schedules/test-time.ts";
export { cases } from "./states/case-store.ts";
export { experience } from "./states/experience-library.ts";
export { baseline } from "./states/moving-baseline.ts";
export { opponents } from "./states/opponent-pool.ts";
export { prompts } from "./states/prompt-population.ts";
export {
  deltas,
  demonstrators,
  judgment,
  notes,
  ownCorpus,
  ownMemory,
  ownSimulator,
  processModelState,
  reference,
  rewardModelState,
  teacher,
  temperature,
  temporary,
  valueHead,
  worldModel,
} from "./states/resources.ts";
export { leftovers } from "./states/rest-buffer.ts";
export { byLevel, roleAdapters, takingTurns } from "./states/role-adapters.ts";
export { searchTrees } from "./states/search-tree.ts";
export { averagedCopy } from "./states/slow-copy.ts";
export { goodBuffer } from "./states/success-buffer.ts";
export { taskStats } from "./states/task-statistics.ts";
export { workingMemory } from "./states/working-memory.ts";
