/** Advantages of single trajectories against a moving average of earlier rewards. */
import type { AdvantagePart, RewardedTrajectory } from "../composition/part.ts";
import { type MovingBaseline, movingBaselineAdvantages } from "../states/moving-baseline.ts";
import { advantagePart, overTrajectory, trajectoriesOf } from "./credit.ts";

/** `rae`: r − a moving average over earlier steps, by `keyOf`; serves single trajectories. */
export function movingBaselineAdvantage(
  keyOf: (scored: RewardedTrajectory) => string = ({ trajectory }) => trajectory.role,
): AdvantagePart<"baseline", "single"> {
  return advantagePart(
    "rae",
    "single",
    (groups, { state }) => {
      const trajectories = trajectoriesOf(groups);
      const { advantages, baseline } = movingBaselineAdvantages(
        state.baseline as MovingBaseline,
        trajectories.map(({ score }) => score.reward),
        trajectories.map(keyOf),
      );
      return {
        advantages: new Map(
          trajectories.map((scored, i) => [
            scored.trajectory.id,
            overTrajectory(scored, advantages[i] as number),
          ]),
        ),
        state: { baseline },
      };
    },
    { needs: ["baseline"] },
  );
}
