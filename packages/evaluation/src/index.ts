/** Statistics for evaluations: success rates, paired comparisons, tests and corrections. */
export { calibrated, isotonicFit, reliability } from "./calibration.ts";
export type { CalibrationMap, Prediction, Reliability } from "./calibration.ts";
export { interpolated } from "./interpolation.ts";
export type { CurvePoint } from "./interpolation.ts";
export type { Interval } from "./interval.ts";
export { pairedDifference } from "./paired-difference.ts";
export type { PairedDifference } from "./paired-difference.ts";
export { fallRefusal, gateRefusal, readabilityRefusal } from "./promotion-gate.ts";
export type { FallLimits, GateThresholds, PairedCounts } from "./promotion-gate.ts";
export { retentionOf, retentionRefusal } from "./retention-gate.ts";
export type {
  KindCounts,
  RetentionCounts,
  RetentionThresholds,
  RetentionVerdicts,
} from "./retention-gate.ts";
export { fallTest } from "./fall-test.ts";
export { signFlipTest, twoSidedSignFlipTest } from "./sign-flip.ts";
export { passAtK } from "./pass-at-k.ts";
export { shareSolved, successRate } from "./success-rate.ts";
export type { SuccessRate } from "./success-rate.ts";
export { mean, meanOrZero, spread, standardError } from "./summary.ts";
export type { Spread } from "./summary.ts";
export { temperatureCurve } from "./temperature-curve.ts";
export type { SuccessByTemperature, TemperatureCurve } from "./temperature-curve.ts";
export { holm } from "./holm.ts";
export { moderatedTests } from "./moderated-t.ts";
export { meanAboveZero } from "./student-t.ts";
export type { MeanTest } from "./student-t.ts";
