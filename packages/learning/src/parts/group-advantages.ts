/** Advantage parts that judge a trajectory against its siblings. */
import { durationWeightedAdvantages } from "../advantages/duration-weighted.ts";
import {
  type GroupAdvantageOptions,
  groupRelativeAdvantages,
} from "../advantages/group-advantages.ts";
import { leaveOneOutAdvantages } from "../advantages/leave-one-out.ts";
import { lengthWeightedAdvantages } from "../advantages/length-weighted-baseline.ts";
import { maximumLikelihoodAdvantages } from "../advantages/maximum-likelihood.ts";
import { bestOnlyAdvantages, passAtKAdvantages } from "../advantages/pass-at-k.ts";
import { setAdvantages } from "../advantages/set-advantages.ts";
import { splitAdvantages } from "../advantages/split-channels.ts";
import { componentOf } from "../rewards/combinators.ts";
import { sampledTokens } from "../composition/judged-trajectory.ts";
import type { AdvantagePart, RewardedTrajectory } from "../composition/part.ts";
import { withScale } from "./advantage-scale.ts";
import { advantagePart, byRewards, byRoles, byTurns } from "./credit.ts";

type GroupPart = AdvantagePart<never, "group">;

/** `group`: r − mean, over the population's deviation unless `scale` says otherwise. */
export function groupAdvantage(options?: GroupAdvantageOptions): GroupPart {
  return withScale(options, (scaled) => {
    return advantagePart("group", "group", (groups) =>
      byRewards(groups, (rewards) => groupRelativeAdvantages(rewards, scaled)),
    );
  });
}

/** `loo`: r − mean of the others. */
export function leaveOneOut(): GroupPart {
  return advantagePart("loo", "group", (groups) => byRewards(groups, leaveOneOutAdvantages));
}

/** `opo`: r − the mean weighed by length. */
export function lengthWeighted(): GroupPart {
  return advantagePart("opo", "group", (groups) =>
    byRewards(groups, (rewards, trajectories) =>
      lengthWeightedAdvantages(
        rewards,
        trajectories.map(({ trajectory }) => sampledTokens(trajectory)),
      ),
    ),
  );
}

/** `maxrl`: (r − mean) / mean. */
export function maximumLikelihood(): GroupPart {
  return advantagePart("maxrl", "group", (groups) =>
    byRewards(groups, maximumLikelihoodAdvantages),
  );
}

/** `pass-at-k`: what a trajectory adds to the best of k. */
export function passAtK(k = 2): GroupPart {
  return advantagePart("pass-at-k", "group", (groups) =>
    byRewards(groups, (rewards) => passAtKAdvantages(rewards, k)),
  );
}

/** `pass-at-k` for all of a group: the best trajectory is credited with its lead over the second alone. */
export function bestOnly(): GroupPart {
  return advantagePart("pass-at-k", "group", (groups) => byRewards(groups, bestOnlyAdvantages));
}

/** `split`: components normalised apart; the economy among correct trajectories only. */
export function splitAdvantage(costWeight = 0.3): GroupPart {
  return advantagePart("split", "group", (groups) =>
    byRewards(groups, (_, trajectories) => {
      const component = (name: string): number[] =>
        trajectories.map(({ score }) => score.components?.[name] ?? score.reward);
      return splitAdvantages([
        { rewards: component("outcome"), weight: 1 },
        {
          rewards: component("cost").map((cost) => -cost),
          weight: costWeight,
          among: trajectories.map(({ trajectory }) => trajectory.verification.success),
        },
      ]);
    }),
  );
}

/** `split`: the reward's components by name, each normalised apart, summed by these weights. */
export function splitComponents(weights: { readonly [component: string]: number }): GroupPart {
  return withScale(undefined, (options) => {
    return advantagePart(
      "split",
      "group",
      (groups) =>
        byRewards(groups, (_, trajectories) =>
          splitAdvantages(
            Object.entries(weights).map(([name, weight]) => ({
              rewards: trajectories.map(({ score }) => componentOf(score.components ?? {}, name)),
              weight,
              options,
            })),
          ),
        ),
      { around: [groupAdvantage(options)] },
    );
  });
}

/** `per-agent`: the statistic of each role apart. */
export function perAgent(options?: GroupAdvantageOptions): GroupPart {
  return withScale(options, (scaled) => {
    return advantagePart("per-agent", "group", (groups) =>
      byRoles(groups, (ofRole) => groupRelativeAdvantages(ofRole, scaled)),
    );
  });
}

/** What a trajectory did, for telling kinds apart: its calls in order. */
function kindOf({ trajectory }: RewardedTrajectory): string {
  return trajectory.turns
    .flatMap(({ toolCalls }) =>
      toolCalls.map((call) => JSON.stringify([call.name, call.arguments])),
    )
    .join(" ");
}

/** `set`: sets of trajectories are scored by success times diversity, their members share it. */
export function setAdvantage(size = 4): GroupPart {
  return advantagePart("set", "group", (groups, { random }) =>
    byRewards(groups, (rewards, trajectories) =>
      setAdvantages(rewards, trajectories.map(kindOf), { size, random }),
    ),
  );
}

/** `broadcast`: every turn is a sample of its own and carries the trajectory's advantage. */
export function broadcast(options?: GroupAdvantageOptions): GroupPart {
  return withScale(options, (scaled) => {
    return advantagePart(
      "broadcast",
      "group",
      (groups) =>
        byTurns(groups, (trajectories) => {
          const ofGroup = groupRelativeAdvantages(
            trajectories.map(({ score }) => score.reward),
            scaled,
          );
          return trajectories.map(({ trajectory }, i) =>
            trajectory.turns.map(() => ofGroup[i] as number),
          );
        }),
      { around: [groupAdvantage(scaled)] },
    );
  });
}

/** `duration`: slow turns weigh as much in the sum as time says, so that quick ones do not own it. */
export function durationWeighted(
  secondsOf: (scored: RewardedTrajectory, turn: number) => number,
): GroupPart {
  return advantagePart("duration", "group", (groups) =>
    byTurns(groups, (trajectories) => {
      const ofGroup = groupRelativeAdvantages(trajectories.map(({ score }) => score.reward));
      return trajectories.map((scored, i) =>
        scored.trajectory.turns.length === 0
          ? []
          : durationWeightedAdvantages(
              scored.trajectory.turns.map(() => ofGroup[i] as number),
              scored.trajectory.turns.map((_, turn) => 1000 * secondsOf(scored, turn)),
            ),
      );
    }),
  );
}
