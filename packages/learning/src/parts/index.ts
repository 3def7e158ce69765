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
  recompose,
  stepMask,
  studentFail,
  success,
  verify,
} from "./filters.ts";
export {
  cispo,
  clipHigh,
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
} from "./token-losses.ts";
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
export { critic } from "./value-losses.ts";
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
export { isUnfinished } from "./unfinished.ts";
