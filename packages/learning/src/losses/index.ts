/** Losses: what a minibatch of numbers says the policy should change, value and derivatives. */

export { adaptiveEntropyCoefficient, nextAdaptiveEntropy } from "./policy/adaptive-entropy.ts";
export type { AdaptiveEntropy, EntropyTarget } from "./policy/adaptive-entropy.ts";
export { tokenShares } from "./aggregation.ts";
export type { AggregatedRows, Aggregation, AggregationOption } from "./aggregation.ts";
export { anchoredPreference } from "./preference/anchored-preference.ts";
export { behaviorConstrained, meanAbsoluteAdvantage } from "./value/behavior-constraint.ts";
export type { ConstrainedBatch } from "./value/behavior-constraint.ts";
export { cispoLoss } from "./policy/cispo.ts";
export { clippedSurrogate } from "./policy/clipped-surrogate.ts";
export { observationLoss } from "./imitation/observation-loss.ts";
export { conservativePenalty } from "./value/conservative-penalty.ts";
export type { ActionChoice, ValuePosition } from "./value/conservative-penalty.ts";
export { contrastiveLoss } from "./imitation/contrastive.ts";
export type { ContrastOptions, ContrastSet } from "./imitation/contrastive.ts";
export { covariancePenaltyLoss } from "./policy/covariance-penalty.ts";
export { dynamicFineTuning } from "./imitation/dft.ts";
export { candidateDistillation, onPolicyDistillation } from "./imitation/distillation.ts";
export type { CandidateDivergence, CandidateLogProbs } from "./imitation/distillation.ts";
export { dpoLoss } from "./preference/dpo.ts";
export type { DpoOptions } from "./preference/dpo.ts";
export { dualClippedSurrogate } from "./policy/dual-clip.ts";
export { entropyBonusLoss } from "./policy/entropy-bonus.ts";
export { entropyPreservingClip } from "./policy/entropy-preserving-clip.ts";
export type { PreservedTokens } from "./policy/entropy-preserving-clip.ts";
export { geometricMeanSurrogate } from "./policy/geometric-mean.ts";
export type { SequencePolicyBatch } from "./policy/geometric-mean.ts";
export { returnWeights } from "./imitation/hindsight.ts";
export { identityPreference } from "./preference/identity-preference.ts";
export { importanceSamplingLoss } from "./policy/importance-sampling.ts";
export { ktoLoss } from "./preference/kto.ts";
export type { JudgedAnswer, KtoBatch, KtoOptions } from "./preference/kto.ts";
export { languageModelLoss } from "./imitation/language-model.ts";
export { oddsRatioPreference } from "./preference/orpo.ts";
export type { BehaviorBatch, PolicyBatch, ProximalBatch } from "./policy/policy-loss.ts";
export { rowPairs } from "./preference/preference-pairs.ts";
export type {
  PairCountOption,
  PreferenceBatch,
  PreferencePair,
  Segment,
  SideMeasure,
} from "./preference/preference-pairs.ts";
export { probabilityGapSurrogate } from "./policy/probability-gap.ts";
export type { ProbabilityGap } from "./policy/probability-gap.ts";
export { rankLoss } from "./preference/rank.ts";
export type { RankedPair } from "./preference/rank.ts";
export type { AbsoluteBounds, ClipBounds, RatioBounds } from "./policy/ratio-bounds.ts";
export { reinforceLoss } from "./policy/reinforce.ts";
export { selfImitationLoss } from "./policy/self-imitation.ts";
export { sequenceRatioSurrogate } from "./policy/sequence-ratio.ts";
export type { SequenceRatioOptions } from "./policy/sequence-ratio.ts";
export { softGatedSurrogate } from "./policy/soft-gate.ts";
export type { GateTemperatures } from "./policy/soft-gate.ts";
export { maskSpans } from "./span-mask.ts";
export type { LabelledSpan } from "./span-mask.ts";
export { supervisedLoss } from "./imitation/supervised-loss.ts";
export type { SupervisedBatch } from "./imitation/supervised-loss.ts";
export { packTrees, rowsOfTrees, treesOfRows } from "./imitation/tree-packing.ts";
export type { PackedTrees, TreePlace } from "./imitation/tree-packing.ts";
export { groupLogPartitions, trajectoryBalance } from "./policy/trajectory-balance.ts";
export type { BalanceBatch, BalanceResult } from "./policy/trajectory-balance.ts";
export { twoSidedSurrogate } from "./policy/two-sided-clip.ts";
export { unlikelihoodLoss } from "./imitation/unlikelihood.ts";
export { valueLoss } from "./value/value-loss.ts";
export type { ValueBatch, ValueForm } from "./value/value-loss.ts";
export {
  drawnTokenWeights,
  varianceReducedPreference,
} from "./preference/variance-reduced-preference.ts";
export type { VarianceReduction } from "./preference/variance-reduced-preference.ts";
export { variationalWeightLoss } from "./policy/variational-weight.ts";
export type { KernelShape, VariationalKernels } from "./policy/variational-weight.ts";
