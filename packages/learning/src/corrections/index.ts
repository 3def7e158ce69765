/** Corrections: weights and masks for tokens that another policy sampled, and choices of tokens. */

export { icePopWeights, vetoOutliers, sequenceBandMask, tokenBandMask } from "./band-masks.ts";
export type { Correction, CorrectionBatch } from "./correction.ts";
export { covarianceMask, tokenCovariances, topCovarianceTokens } from "./covariance-mask.ts";
export type { CovarianceBatch } from "./covariance-mask.ts";
export { maskDivergentTokens, offPolicySequenceMask } from "./divergence-masks.ts";
export { effectiveSampleSize } from "./effective-sample-size.ts";
export { truncatedImportanceWeights, truncatedSequenceWeights } from "./importance-weights.ts";
export type { ImportanceWeights } from "./importance-weights.ts";
export { logLinearProximal } from "./log-linear-proximal.ts";
export { mismatchMetrics } from "./mismatch.ts";
export { secondMomentMask } from "./second-moment-mask.ts";
