/**
 * `recal`: a stored success is compared with what the policy earns now, not with what it earned when the
 * success was stored. An outdated success gets no weight.
 *
 * Source: Qin et al. 2025, "Learn the Ropes, Then Trust the Wins" (SPEAR), arXiv:2509.22601, section 3.2
 * (advantage recalibration by the median of recent baselines); self-imitation, Oh et al. 2018,
 * arXiv:1806.05635.
 * Differs from SPEAR: the caller passes the baseline, not the median of recent groups.
 */
import type { AdvantagePart } from "../composition/part.ts";
import type { MovingBaseline } from "../states/moving-baseline.ts";
import { requireFiniteRewards, requireSameLength } from "../statistics.ts";
import { advantagePart, overTrajectory } from "./credit.ts";

/**
 * Advantages of stored trajectories.
 *
 * @param rewards - `[N]` of stored trajectories.
 * @param baselines - `[N]` current mean reward of each one's task.
 * @returns `[N]` max(reward − baseline, 0).
 */
export function recalibratedAdvantages(
  rewards: readonly number[],
  baselines: readonly number[],
): number[] {
  requireSameLength("baselines", baselines.length, "rewards", rewards.length);
  requireFiniteRewards(rewards);
  requireFiniteRewards(baselines);
  return rewards.map((reward, i) => Math.max(reward - baselines[i]!, 0));
}

/** `recal`: stored successes relative to the `baseline` of their task; never below 0. */
export function recalibrated(): AdvantagePart<"baseline", "single"> {
  return advantagePart(
    "recal",
    "single",
    (groups, { state }) => {
      const { values, prior } = state.baseline as MovingBaseline;
      const all = groups.flatMap(({ task, trajectories }) =>
        trajectories.map((rewarded) => ({ task, rewarded })),
      );
      const wins = recalibratedAdvantages(
        all.map(({ rewarded }) => rewarded.reward.total),
        all.map(({ task }) => values[task] ?? prior),
      );
      return {
        advantages: new Map(
          all.map(({ rewarded }, i) => [
            rewarded.trajectory.id,
            overTrajectory(rewarded, wins[i] as number),
          ]),
        ),
      };
    },
    { needs: ["baseline"] },
  );
}
