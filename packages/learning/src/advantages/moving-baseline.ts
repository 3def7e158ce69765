/** Advantages of single trajectories relative to a moving average of earlier rewards. */
import type { AdvantagePart, RewardedTrajectory } from "../composition/part.ts";
import { type MovingBaseline, movingBaselineAdvantages } from "../states/moving-baseline.ts";
import { advantagePart, overTrajectory, trajectoriesOf } from "./credit.ts";

/** `rae`: r − a moving average over earlier steps, by `keyOf`. Also works for single trajectories. */
export function movingBaselineAdvantage(
  keyOf: (rewarded: RewardedTrajectory) => string = ({ trajectory }) => trajectory.role,
): AdvantagePart<"baseline", "single"> {
  return advantagePart(
    "rae",
    "single",
    (groups, { state }) => {
      const trajectories = trajectoriesOf(groups);
      const { advantages, baseline } = movingBaselineAdvantages(
        state.baseline as MovingBaseline,
        trajectories.map(({ reward }) => reward.total),
        trajectories.map(keyOf),
      );
      return {
        advantages: new Map(
          trajectories.map((rewarded, i) => [
            rewarded.trajectory.id,
            overTrajectory(rewarded, advantages[i] as number),
          ]),
        ),
        state: { baseline },
      };
    },
    { needs: ["baseline"] },
  );
}
