/**
 * Self-imitation: stored successes are learned from beside what is rolled out, as far as they still beat
 * what the policy earns.
 */
import { made } from "../composition/making.ts";
import type { AdvantagePart, FilterPart, RewardedTrajectory } from "../composition/part.ts";
import { drawFrom } from "../draw.ts";
import { recalibratedAdvantages } from "../advantages/recalibrated.ts";
import { type MovingBaseline, movingBaselineAdvantages } from "../states/moving-baseline.ts";
import { storedSuccesses, storeSuccess, type SuccessBuffer } from "../states/success-buffer.ts";
import { advantagePart, overTrajectory } from "./credit.ts";
import { filterPart } from "./filter-part.ts";

/** Task of the group that stored trajectories form. */
const STORED = "stored";

/**
 * Adds up to `count` stored successes, one of a task at most, as a group of their own. Their tokens weigh
 * as the schedule says of the component `imitation`.
 */
export function storedWins(count: number, successFrom = 1): FilterPart<"good-buffer"> {
  return filterPart(
    "stored-wins",
    (groups, { state, step, random, rewardWeights }) => {
      let buffer = state["good-buffer"] as SuccessBuffer<RewardedTrajectory>;
      const newest = Object.keys(buffer.tasks).flatMap(
        (task) => storedSuccesses(buffer, task, step).at(-1)?.item ?? [],
      );
      const weight = rewardWeights?.["imitation"] ?? 1;
      const drawn = drawFrom(newest, Math.min(count, newest.length), random).map((scored) => ({
        ...scored,
        tokenWeights: scored.tokenWeights.map((row) => Float64Array.from(row, () => weight)),
      }));
      for (const { task, trajectories } of groups) {
        for (const item of trajectories) {
          // The verifier's word: what a bonus added is no success.
          const { reward } = item.trajectory.verification;
          if (reward >= successFrom) buffer = storeSuccess(buffer, task, { item, reward, step });
        }
      }
      return {
        groups: drawn.length === 0 ? groups : [...groups, { task: STORED, trajectories: drawn }],
        dropped: new Map(),
        state: { "good-buffer": buffer },
      };
    },
    { needs: ["good-buffer"] },
  );
}

/** `recal` for stored successes, against a moving average of what is earned now; `inner` for the rest. */
export function besideStored(
  inner: AdvantagePart<never, "group">,
): AdvantagePart<"baseline", "group"> {
  return made({}, (_, [fresh]) => storedBeside(fresh), [inner]);
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
            (scored, i) =>
              [scored.trajectory.id, overTrajectory(scored, wins[i] as number)] as const,
          ),
        ]),
        state: { baseline },
      };
    },
    { needs: ["baseline"], around: [inner] },
  );
}
