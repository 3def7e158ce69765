/** Divergence from a reference policy: estimators, a term of the loss, or rewards of tokens. */
export { nextKlCoefficient } from "./adaptive-kl.ts";
export type { AdaptiveKl } from "./adaptive-kl.ts";
export { klEstimate } from "./kl-estimators.ts";
export type { KlEstimator } from "./kl-estimators.ts";
export { klLoss } from "./kl-loss.ts";
export type { KlBatch, KlForm } from "./kl-loss.ts";
export { klRewards } from "./kl-rewards.ts";
