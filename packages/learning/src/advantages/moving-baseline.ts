/** Advantages of single trajectories relative to a moving average of earlier rewards. */
import type { AdvantagePart, RewardedTrajectory } from "../composition/part.ts";
import {
  baselineOf,
  type MovingBaseline,
  movingBaselineAdvantages,
} from "../states/moving-baseline.ts";
import { advantagePart, overCredited, trajectoriesOf } from "./credit.ts";

/**
 * `rae`: r − a moving average over earlier steps, by `keyOf`. Also works for single trajectories. If feedback is about single
 * turns, r is the reward of the turn.
 */
export function movingBaselineAdvantage(
  keyOf: (rewarded: RewardedTrajectory) => string = ({ trajectory }) => trajectory.role,
): AdvantagePart<"baseline", "single"> {
  return advantagePart(
    "rae",
    "single",
    (groups, { state }) => {
      const trajectories = trajectoriesOf(groups);
      const before = state.baseline as MovingBaseline;
      const { baseline } = movingBaselineAdvantages(
        before,
        trajectories.map(({ reward }) => reward.total),
        trajectories.map(keyOf),
      );
      return {
        advantages: new Map(
          trajectories.map((rewarded) => {
            const average = baselineOf(before, keyOf(rewarded));
            return [rewarded.trajectory.id, overCredited(rewarded, (reward) => reward - average)];
          }),
        ),
        state: { baseline },
      };
    },
    { needs: ["baseline"] },
  );
}
