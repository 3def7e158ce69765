/** Statistics for evaluations: success rates, paired comparisons, tests and corrections. */
export type { Interval } from "./interval.ts";
export { pairedDifference } from "./paired-difference.ts";
export type { PairedDifference } from "./paired-difference.ts";
export { gateRefusal } from "./promotion-gate.ts";
export type { GateThresholds, PairedCounts } from "./promotion-gate.ts";
export { fallTest } from "./fall-test.ts";
export { signFlipTest } from "./sign-flip.ts";
export { successRate } from "./success-rate.ts";
export type { SuccessRate } from "./success-rate.ts";
export { mean } from "./summary.ts";
export { holm } from "./holm.ts";
export { moderatedTests } from "./moderated-t.ts";
export { meanAboveZero } from "./student-t.ts";
export type { MeanTest } from "./student-t.ts";
