/** Losses: what a minibatch of numbers says the policy should change, value and derivatives. */
export { adaptiveEntropyCoefficient, nextAdaptiveEntropy } from "./adaptive-entropy.ts";
export type { AdaptiveEntropy, EntropyTarget } from "./adaptive-entropy.ts";
export { tokenShares } from "./aggregation.ts";
export type { AggregatedRows, Aggregation, AggregationOption } from "./aggregation.ts";
export { anchoredPreference } from "./anchored-preference.ts";
export { behaviorConstrained, meanAbsoluteAdvantage } from "./behavior-constraint.ts";
export type { ConstrainedBatch } from "./behavior-constraint.ts";
export { cispo } from "./cispo.ts";
export { clippedSurrogate } from "./clipped-surrogate.ts";
export { observationLoss } from "./observation-loss.ts";
export { conservativePenalty } from "./conservative-penalty.ts";
export type { ActionChoice, ValuePosition } from "./conservative-penalty.ts";
export { contrastiveLoss } from "./contrastive.ts";
export type { ContrastOptions, ContrastSet } from "./contrastive.ts";
export { covariancePenalty } from "./covariance-penalty.ts";
export { dynamicFineTuning } from "./dft.ts";
export { candidateDistillation, onPolicyDistillation } from "./distillation.ts";
export type { CandidateDivergence, CandidateLogProbs } from "./distillation.ts";
export { dpo } from "./dpo.ts";
export type { DpoOptions } from "./dpo.ts";
export { dualClippedSurrogate } from "./dual-clip.ts";
export { entropyBonus } from "./entropy-bonus.ts";
export { entropyPreservingClip } from "./entropy-preserving-clip.ts";
export type { PreservedTokens } from "./entropy-preserving-clip.ts";
export { geometricMeanSurrogate } from "./geometric-mean.ts";
export type { SequencePolicyBatch } from "./geometric-mean.ts";
export { returnWeights } from "./hindsight.ts";
export { identityPreference } from "./identity-preference.ts";
export { importanceSampling } from "./importance-sampling.ts";
export { kto } from "./kto.ts";
export type { JudgedAnswer, KtoBatch, KtoOptions } from "./kto.ts";
export { languageModelLoss } from "./language-model.ts";
export { oddsRatioPreference } from "./orpo.ts";
export type { BehaviorBatch, PolicyBatch, ProximalBatch } from "./policy-loss.ts";
export { rowPairs } from "./preference-pairs.ts";
export type {
  PairCountOption,
  PreferenceBatch,
  PreferencePair,
  Segment,
  SideMeasure,
} from "./preference-pairs.ts";
export { probabilityGapSurrogate } from "./probability-gap.ts";
export type { ProbabilityGap } from "./probability-gap.ts";
export { rankLoss } from "./rank.ts";
export type { RankedPair } from "./rank.ts";
export type { AbsoluteBounds, ClipBounds, RatioBounds } from "./ratio-bounds.ts";
export { reinforce } from "./reinforce.ts";
export { selfImitation } from "./self-imitation.ts";
export { sequenceRatioSurrogate } from "./sequence-ratio.ts";
export type { SequenceRatioOptions } from "./sequence-ratio.ts";
export { softGatedSurrogate } from "./soft-gate.ts";
export type { GateTemperatures } from "./soft-gate.ts";
export { spanMask } from "./span-mask.ts";
export type { LabelledSpan } from "./span-mask.ts";
export { supervisedLoss } from "./supervised-loss.ts";
export type { SupervisedBatch } from "./supervised-loss.ts";
export { packTrees, rowsOfTrees, treesOfRows } from "./tree-packing.ts";
export type { PackedTrees, TreePlace } from "./tree-packing.ts";
export { groupLogPartitions, trajectoryBalance } from "./trajectory-balance.ts";
export type { BalanceBatch, BalanceResult } from "./trajectory-balance.ts";
export { twoSidedSurrogate } from "./two-sided-clip.ts";
export { unlikelihoodLoss } from "./unlikelihood.ts";
export { valueLoss } from "./value-loss.ts";
export type { ValueBatch, ValueForm } from "./value-loss.ts";
export { drawnTokenWeights, varianceReducedPreference } from "./variance-reduced-preference.ts";
export type { VarianceReduction } from "./variance-reduced-preference.ts";
export { variationalWeightLoss } from "./variational-weight.ts";
export type { KernelShape, VariationalKernels } from "./variational-weight.ts";
