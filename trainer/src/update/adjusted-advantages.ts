/** A stage whose advantages are something else than its estimator says: bounded, dealt at random. */
import type { AdvantageRows, RewardedGroup, Stage } from "@waggle/learning";

/** @param adjusted what counts instead; a stage without advantages stays as it is. */
export function withAdjustedAdvantages(
  stage: Stage,
  adjusted: (estimated: AdvantageRows, groups: readonly RewardedGroup[]) => AdvantageRows,
): Stage {
  const { advantage } = stage;
  if (advantage === null) return stage;
  return {
    ...stage,
    advantage: {
      ...advantage,
      estimate: (groups, context) => {
        const estimated = advantage.estimate(groups, context);
        return { ...estimated, advantages: adjusted(estimated.advantages, groups) };
      },
    },
  };
}
