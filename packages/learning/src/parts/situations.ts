/**
 * Situations of an agent that knows itself: it can go on, must think again, or must ask. Which one a task
 * is in is seen from the policy's own rollouts at it.
 *
 * Source: KnowSelf (situation tokens on self-explored runs).
 */
import { verifiedWorth } from "../composition/judged-trajectory.ts";
import { dial, made } from "../composition/making.ts";
import type {
  FilterPart,
  RolloutPart,
  RewardedTrajectory,
  RewardedGroup,
} from "../composition/part.ts";
import type { Situation, SituationWords } from "../composition/rollout-plan.ts";
import { selectBy } from "../filters/selection.ts";
import { filterPart, keepTrajectories } from "./filter-part.ts";

/** `single`: two rollouts of the policy at a task, and runs of it that say each situation's words first. */
export function selfExplored(rethink: string, words: SituationWords): RolloutPart<never, "single"> {
  return {
    ...{ slot: "rollout", part: "single", start: "single", needs: [] },
    plan: () => ({ kind: "situated", rethink, words }),
  };
}

/** What two rollouts say: right at once, right after thinking again, or never. */
function situationOf({ trajectories }: RewardedGroup, threshold: number): Situation {
  const [first, second] = trajectories.filter(({ trajectory }) => trajectory.role === "student");
  const isRight = (scored: RewardedTrajectory | undefined): boolean =>
    scored !== undefined && verifiedWorth(scored.trajectory) >= threshold;
  if (isRight(first)) return "go-on";
  return isRight(second) ? "rethink" : "ask";
}

function isOf(situation: Situation): (scored: RewardedTrajectory) => boolean {
  return ({ trajectory }) => trajectory.role === situation;
}

/**
 * `student-fail`: of each task the run of the situation that it is in; help only where the policy failed, or
 * was verified as worse than the threshold.
 */
export function inSituation(threshold?: number): FilterPart {
  return made({ threshold: dial(threshold, 1) }, (given) => fittingRuns(given.threshold));
}

function fittingRuns(threshold: number): FilterPart {
  return filterPart("student-fail", (groups) => {
    const fitting = new Set(
      groups.flatMap((group) =>
        group.trajectories
          .filter(isOf(situationOf(group, threshold)))
          .map(({ trajectory }) => trajectory.id),
      ),
    );
    return keepTrajectories(groups, (all) =>
      selectBy(all, ({ trajectory }) => {
        if (trajectory.role === "student") return "students-own";
        return fitting.has(trajectory.id) ? null : "other-situation";
      }),
    );
  });
}

/** `student-fail` as pairs: the run of a task's situation, and that of one that it is not in. */
export function situationPairs(threshold?: number): FilterPart {
  return made({ threshold: dial(threshold, 1) }, (given) => pairsOfSituations(given.threshold));
}

function pairsOfSituations(threshold: number): FilterPart {
  return filterPart("student-fail", (groups) => {
    const pairs = groups.flatMap((group): (readonly [string, string])[] => {
      const situation = situationOf(group, threshold);
      // Who needs no help is told apart from who asks, who does from who goes on.
      const other = situation === "go-on" ? "ask" : "go-on";
      const chosen = group.trajectories.find(isOf(situation));
      const rejected = group.trajectories.find(isOf(other));
      if (chosen === undefined || rejected === undefined) return [];
      return [[chosen.trajectory.id, rejected.trajectory.id]];
    });
    const paired = new Set(pairs.flat());
    const kept = keepTrajectories(groups, (all) =>
      selectBy(all, ({ trajectory }) => (paired.has(trajectory.id) ? null : "no-pair")),
    );
    return { ...kept, pairs };
  });
}
