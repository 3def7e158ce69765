/** Advantages of stored successes that are trained together with fresh rollouts. */
import { definePart } from "../composition/part-options.ts";
import type { AdvantagePart } from "../composition/part.ts";
import { STORED } from "../filters/stored-wins.ts";
import { type MovingBaseline, movingBaselineAdvantages } from "../states/moving-baseline.ts";
import { advantagePart, overTrajectory } from "./credit.ts";
import { recalibratedAdvantages } from "./recalibrated.ts";

/**
 * `recal` for stored successes, against a moving average of the current rewards; `inner` for fresh rollouts.
 */
export function besideStored(
  inner: AdvantagePart<never, "group">,
): AdvantagePart<"baseline", "group"> {
  return definePart({}, (_, [fresh]) => storedBeside(fresh), [inner]);
}

function storedBeside(inner: AdvantagePart<never, "group">): AdvantagePart<"baseline", "group"> {
  return advantagePart(
    "recal",
    "group",
    (groups, context) => {
      const fresh = groups.filter(({ task }) => task !== STORED);
      const stored = groups
        .filter(({ task }) => task === STORED)
        .flatMap(({ trajectories }) => trajectories);
      const rewards = fresh.flatMap(({ trajectories }) =>
        trajectories.map(({ trajectory }) => trajectory.verification.reward),
      );
      const { baseline } = movingBaselineAdvantages(
        context.state.baseline as MovingBaseline,
        rewards,
        rewards.map(() => STORED),
      );
      const wins = recalibratedAdvantages(
        stored.map(({ trajectory }) => trajectory.verification.reward),
        stored.map(() => baseline.values[STORED] ?? baseline.prior),
      );
      const { advantages } = inner.estimate(fresh, context);
      return {
        advantages: new Map([
          ...advantages,
          ...stored.map(
            (rewarded, i) =>
              [rewarded.trajectory.id, overTrajectory(rewarded, wins[i] as number)] as const,
          ),
        ]),
        state: { baseline },
      };
    },
    { needs: ["baseline"], around: [inner] },
  );
}
