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
export { apo, dpo, ipo, kto, orpo } from "./preference-losses.ts";
export {
  crossEntropy,
  dft,
  distillation,
  languageModel,
  maskedCrossEntropy,
  returnConditioned,
} from "./token-losses.ts";
export { critic } from "./value-losses.ts";
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
} from "./rollouts.ts";
export { difficultyCurriculum, horizonCurriculum, rate, weightAnneal } from "./schedules.ts";
export { baseline, judgement, reference, taskStats, teacher, valueHead } from "./states.ts";
