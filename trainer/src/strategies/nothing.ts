/** Plans of stages that roll nothing out themselves: noise on weights, and weights that are merged. */
import type { PlanOf, RolloutStrategy } from "./strategy.ts";

export const noRollouts: RolloutStrategy<PlanOf<"noise" | "none">> = {
  collect: () => Promise.resolve([]),
};
