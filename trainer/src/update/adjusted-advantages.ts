/** Post-processes a stage's advantage estimates, for example to bound or shuffle them. */
import type { AdvantageRows, PolicyOutputs, RewardedGroup, Stage } from "@waggle/learning";

/**
 * The stage with `adjusted` applied to its advantages. A stage without advantages is returned
 * unchanged.
 * @param adjusted - maps the estimated advantages to the ones to train on. `outputs` are those of the
 *   trained model before the step, if an engine has read the trajectories.
 */
export function withAdjustedAdvantages(
  stage: Stage,
  adjusted: (
    estimated: AdvantageRows,
    groups: readonly RewardedGroup[],
    outputs: PolicyOutputs | undefined,
  ) => AdvantageRows,
): Stage {
  const { advantage } = stage;
  if (advantage === null) return stage;
  return {
    ...stage,
    advantage: {
      ...advantage,
      estimate: (groups, context) => {
        const estimated = advantage.estimate(groups, context);
        return {
          ...estimated,
          advantages: adjusted(estimated.advantages, groups, context.outputs),
        };
      },
    },
  };
}
