/** The parts that recipes are made of, by slot, under the names of the literature. */
export {
  gae,
  gaeStep,
  movingBaselineAdvantage,
  recalibrated,
  reinforcePlusPlus,
} from "./baseline-advantages.ts";
export {
  broadcast,
  durationWeighted,
  groupAdvantage,
  leaveOneOut,
  lengthWeighted,
  maximumLikelihood,
  bestOnly,
  passAtK,
  perAgent,
  setAdvantage,
  splitAdvantage,
  splitComponents,
} from "./group-advantages.ts";
export {
  batchNormalized,
  branchAttributed,
  entropyWeighted,
  likeObservations,
  mixedSteps,
  stateGroups,
  turnLevel,
} from "./step-advantages.ts";
export {
  rolloutsThat,
  clean,
  cleanCorrect,
  curated,
  diversityMix,
  entropySteps,
  longTail,
  mixedGroup,
  pairGap,
  passRateBand,
  pivotVariance,
  stepMask,
  studentFail,
  success,
  verify,
} from "./filters.ts";
export {
  cispo,
  clipHigh,
  covariancePenalty,
  covMask,
  dualClip,
  entropyBonus,
  pgClip,
  reinforce,
  sequenceRatio,
  softGate,
  spanMask,
  stopGradientClip,
  trajectoryBalancing,
  truncatedImportance,
  twoSidedClip,
} from "./policy-losses.ts";
export { adaptiveEntropy, entropyStrength, entropyTarget } from "./adaptive-entropy.ts";
export { klCoefficient } from "./adaptive-kl.ts";
export { distilledCandidates } from "./candidate-distillation.ts";
export { logLinear } from "./log-linear.ts";
export { optimalTokenBaseline } from "./optimal-token.ts";
export { designEdits, designRisk, designs, designTree, designWorth } from "./design-search.ts";
export { evolutionStrategy, fitness, noiseSeed } from "./evolution.ts";
export { auxiliaries, ownFailures } from "./auxiliaries.ts";
export { caseValue, memoryWrite } from "./case-writes.ts";
export { judgeByLessons, rubricEdits } from "./evolving-judge.ts";
export { cases, experience, prompts } from "./readings.ts";
export { lessonEdits, promptEdits, semantic, stepLessons } from "./text-edits.ts";
export {
  addedDeltas,
  averagedDeltas,
  breadcrumbs,
  orthogonalDeltas,
  reinforced,
  spherical,
} from "./merge-operations.ts";
export { apo, chosenCrossEntropy, dpo, ipo, kto, orpo, vrpo } from "./preference-losses.ts";
export {
  auxiliaryObservations,
  auxiliaryText,
  auxiliaryTurns,
  contrast,
  crossEntropy,
  dft,
  distillation,
  drawnShare,
  languageModel,
  maskedCrossEntropy,
  parameterSubset,
  returnConditioned,
  unlikelihood,
} from "./token-losses.ts";
export {
  importanceSampling,
  probabilityGap,
  selfImitation,
  variationalWeight,
} from "./sampler-losses.ts";
export {
  divergenceMask,
  geometricBand,
  icePop,
  outlierVeto,
  secondMoment,
  sequenceBand,
  tokenBand,
} from "./off-policy-masks.ts";
export { geometricMean, offPolicyMask } from "./sequence-parts.ts";
export { accepted, chosenSucceeds, lastWords, votedPairs } from "./accepted.ts";
export { observationLikeness } from "./observation-likeness.ts";
export { contrasted, keptTrees, retold, retoldDemos, revision, traversal } from "./retold.ts";
export { byRole, lossOfRole, managedMemory, ownMemory } from "./managed-memory.ts";
export { remembered, workingMemory } from "./working-memory.ts";
export { bestProposals, tdBc, temporalDifference } from "./temporal-difference.ts";
export {
  bestLine,
  calibrated,
  forks,
  monteCarlo,
  monteCarloTree,
  searchTrees,
  tree,
} from "./tree-search.ts";
export { CRITIC_WEIGHT, critic } from "./value-losses.ts";
export {
  amongTries,
  answerableProposals,
  frontier,
  readAndSolve,
  searchAndSolve,
  setAndSolve,
  settersAndSolvers,
  shownCrossEntropy,
} from "./proposals.ts";
export {
  averagedCopy,
  byLevel,
  demonstrationPairs,
  demosAgainstPast,
  jointAdvantage,
  matchOutcome,
  opponents,
  perAgentTurns,
  roleAdapters,
  roleSwap,
  seededTeacher,
  speakerMask,
  speakersCrossEntropy,
  selfPlay,
  selfPlayAgainstPast,
  takingTurns,
  teamOf,
  withoutOpponents,
} from "./teams.ts";
export { outcomeRegression, rank } from "./reward-model-losses.ts";
export { implicitProcess, modelledProcess, rewardModel } from "./learned-rewards.ts";
export {
  calibration,
  callBonus,
  checklist,
  economy,
  equivalent,
  exec,
  format,
  gate,
  judge,
  outcome,
  overlong,
  preference,
  progress,
  redistribute,
  rewardPart,
  team,
  tiers,
  weighted,
} from "./rewards.ts";
export {
  asynchronous,
  branchEntropy,
  branchVine,
  demos,
  group,
  log,
  modeStrata,
  pivot,
  prefixReplay,
  retry,
  single,
  stepReplay,
  takeover,
  teacherDemos,
  toldDemos,
  weights,
} from "./rollouts.ts";
export { difficultyCurriculum, horizonCurriculum, rate, weightAnneal } from "./schedules.ts";
export {
  baseline,
  deltas,
  demonstrators,
  judgement,
  processModelState,
  reference,
  rewardModelState,
  taskStats,
  teacher,
  valueHead,
} from "./states.ts";
export { finishedGroups, isUnfinished, partialRollouts, unfinishedGroups } from "./unfinished.ts";
export {
  answerF1,
  answerable,
  groundedAnswer,
  recoveredAnswer,
  recoveredRequest,
} from "./answers.ts";
export { behaviour } from "./behavior-filter.ts";
export {
  goodBuffer,
  leftovers,
  recomposeLater,
  rehearsed,
  storedSuccess,
  recompose,
} from "./buffers.ts";
export {
  imaginedOutcome,
  ownTrajectories,
  pairedTools,
  randomEnvironments,
  selfAnswered,
  simulatedTools,
  trials,
  underContract,
  withoutRefused,
  worldModel,
} from "./changed-environments.ts";
export { collateral } from "./collateral.ts";
export {
  casesAndNeighbors,
  competingDemos,
  curatedOfGenerators,
  evidencedTeachers,
  formedDemos,
  neighborDemos,
  unsure,
  visitedDemos,
  vote,
} from "./demonstrations.ts";
export { explainedFailures } from "./explained-failures.ts";
export {
  bilevel,
  forQuery,
  learnsSupport,
  readsContext,
  temporary,
  treePacked,
} from "./fast-weights.ts";
export { failuresReturn, taskWheel } from "./flywheel.ts";
export {
  broadcastTurns,
  foldingDemos,
  notedDemos,
  notedSingle,
  notes,
  rememberedGroup,
  rememberedUser,
} from "./folded.ts";
export { informationGain } from "./information-gain.ts";
export { introspection, payWeighted, weighedCrossEntropy } from "./introspection.ts";
export { judgedPreference, specifications } from "./judged-preference.ts";
export { calibratedProcess, multiDimensional } from "./process-rewards.ts";
export { attributedProgress, fitsProgress, progressEstimate } from "./progress.ts";
export { likeReference } from "./reference-likeness.ts";
export { riskPrediction, taskRisk } from "./risk-filter.ts";
export { criteriaByRule, ruleJudge } from "./rule-judge.ts";
export { ruleProcess } from "./rule-process.ts";
export { besideStored, storedWins } from "./self-imitation.ts";
export { setAfterForks } from "./set-credit.ts";
export { multiReference, referencedGroup, withoutReferences } from "./several-references.ts";
export { ownModel, ownSimulator, userSimulation } from "./simulated-user.ts";
export { inSituation, selfExplored, situationPairs } from "./situations.ts";
export { privatize, upperLayers } from "./split-training.ts";
export { structuralTokens } from "./structure.ts";
export { measuredEntropy, temperature, temperatureTarget } from "./temperature-target.ts";
export { testTime } from "./test-time.ts";
export { thumbs } from "./thumbs.ts";
export { ownCorpus, retrieved, searchingGroup } from "./corpus.ts";
export { auxiliaryToolNeed, toolNeedLabels, whereToolsHelp } from "./tool-need.ts";
