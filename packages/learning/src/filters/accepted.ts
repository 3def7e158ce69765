/** Pairs by majority vote, and trajectories above a reward threshold. */
import { type JudgedTrajectory, verifiedWorth } from "../composition/judged-trajectory.ts";
import { option, definePart } from "../composition/part-options.ts";
import type { FilterPart, RewardedTrajectory } from "../composition/part.ts";
import { filterPart, keepTrajectories } from "./filter-part.ts";
import { selectBy } from "./selection.ts";
import { agreedLabel } from "./vote.ts";

/** The tokens of the final answer; `null` if the trajectory was truncated or its last turn calls a tool. */
export function lastWords({ turns, samples, record: trajectory }: JudgedTrajectory): string | null {
  const last = turns.at(-1);
  if (last === undefined || !trajectory.terminated || last.toolCalls.length > 0) return null;
  return (samples[last.sample]?.sequence.tokenIds ?? []).slice(last.start, last.end).join(" ");
}

/**
 * `vote` as pairs: for each task, a rollout that agrees with the majority label is chosen and one that
 * disagrees is rejected. Tasks without both are dropped.
 */
export function votedPairs(
  leastShare?: number,
  labelOf: (trajectory: JudgedTrajectory) => string | null = lastWords,
): FilterPart {
  return definePart(
    { votedPairsLeastShare: option(leastShare, 0.5) },
    ({ votedPairsLeastShare: leastShare }) =>
      filterPart("vote", (groups) => {
        const pairs = groups.flatMap(({ trajectories }) => {
          const labels = trajectories.map(({ trajectory }) => labelOf(trajectory));
          const { label } = agreedLabel(labels, leastShare);
          const find = (isAccepted: boolean): RewardedTrajectory | undefined =>
            trajectories.find((_, i) => (labels[i] === label) === isAccepted);
          const [accepted, rejected] = [find(true), find(false)];
          return label === null || accepted === undefined || rejected === undefined
            ? []
            : [[accepted.trajectory.id, rejected.trajectory.id] as const];
        });
        const paired = new Set(pairs.flat());
        const kept = keepTrajectories(groups, (trajectories) =>
          selectBy(trajectories, ({ trajectory }) =>
            paired.has(trajectory.id) ? null : "no-vote",
          ),
        );
        return { ...kept, pairs };
      }),
  );
}

/** Keeps rollouts with a reward of at least `least`. */
export function accepted(least?: number): FilterPart {
  return definePart({ acceptedLeast: option(least, 0.5) }, ({ acceptedLeast: least }) =>
    filterPart("accepted", (groups) =>
      keepTrajectories(groups, (trajectories) =>
        selectBy(trajectories, ({ reward }) => (reward.total >= least ? null : "not-accepted")),
      ),
    ),
  );
}

/**
 * `success` for pairs: keeps pairs whose chosen rollout has a verified reward of at least `threshold`. Wraps
 * the part that makes the pairs.
 */
export function chosenSucceeds(inner: FilterPart, threshold?: number): FilterPart {
  return definePart(
    { threshold: option(threshold, 1) },
    (given, [pairing]) => ofSuccesses(pairing, given.threshold),
    [inner],
  );
}

function ofSuccesses(inner: FilterPart, threshold: number): FilterPart {
  return {
    ...inner,
    part: "success",
    around: [inner],
    apply: (groups, context) => {
      const paired = inner.apply(groups, context);
      const won = new Set(
        groups.flatMap(({ trajectories }) =>
          trajectories.flatMap(({ trajectory }) =>
            verifiedWorth(trajectory) >= threshold ? [trajectory.id] : [],
          ),
        ),
      );
      const pairs = (paired.pairs ?? []).filter(([chosen]) => won.has(chosen));
      const left = new Set(pairs.flat());
      const kept = keepTrajectories(paired.groups, (trajectories) =>
        selectBy(trajectories, ({ trajectory }) =>
          left.has(trajectory.id) ? null : "chosen-failed",
        ),
      );
      return { ...paired, ...kept, dropped: new Map([...paired.dropped, ...kept.dropped]), pairs };
    },
  };
}
