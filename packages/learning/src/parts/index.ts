/** The parts that recipes are made of, by slot, under the names of the literature. */
export { groupAdvantage, leaveOneOut, movingBaselineAdvantage } from "./advantages.ts";
export { mixedGroup, success } from "./filters.ts";
export { clipHigh, crossEntropy, pgClip, spanMask, truncatedSurrogate } from "./losses.ts";
export { economy, outcome } from "./rewards.ts";
export { demos, group, log, modeStrata, pivot, prefixReplay, retry, single } from "./rollouts.ts";
