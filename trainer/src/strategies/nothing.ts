/** Plans of stages without rollouts of their own: weight perturbation and merging. */
import type { PlanOf, RolloutStrategy } from "./strategy.ts";

export const noRollouts: RolloutStrategy<PlanOf<"noise" | "none">> = {
  collect: () => Promise.resolve([]),
};
