/** Advantage parts: from scores to one number a token. */
import {
  type GroupAdvantageOptions,
  groupRelativeAdvantages,
} from "../advantages/group-advantages.ts";
import { leaveOneOutAdvantages } from "../advantages/leave-one-out.ts";
import type {
  AdvantagePart,
  AdvantageRows,
  ScoredEpisode,
  ScoredGroup,
} from "../composition/part.ts";
import { type MovingBaseline, movingBaselineAdvantages } from "../states/moving-baseline.ts";
import type { TokenRows } from "../token-rows.ts";

/** `[samples][T]`: the same advantage for every token that counts. */
function broadcast({ lossMask }: ScoredEpisode, advantage: number): TokenRows {
  return lossMask.map((row) => Float64Array.from(row, (counts) => (counts ? advantage : 0)));
}

/** One advantage an episode, by what its group's rewards say. */
function byGroup(
  groups: readonly ScoredGroup[],
  advantagesOf: (rewards: readonly number[]) => readonly number[],
): { readonly advantages: AdvantageRows } {
  const advantages = new Map<string, TokenRows>();
  for (const { episodes } of groups) {
    const ofGroup = advantagesOf(episodes.map(({ score }) => score.reward));
    for (const [i, scored] of episodes.entries()) {
      advantages.set(scored.episode.id, broadcast(scored, ofGroup[i] as number));
    }
  }
  return { advantages };
}

/** `group`: r − mean of the group, over its deviation where `scale` says so. */
export function groupAdvantage(
  options: GroupAdvantageOptions = { scale: "std" },
): AdvantagePart<never, "group"> {
  return {
    slot: "advantage",
    part: "group",
    needs: [],
    start: "group",
    estimate: (groups) => byGroup(groups, (rewards) => groupRelativeAdvantages(rewards, options)),
  };
}

/** `loo`: r − mean of the others. */
export function leaveOneOut(): AdvantagePart<never, "group"> {
  return {
    slot: "advantage",
    part: "loo",
    needs: [],
    start: "group",
    estimate: (groups) => byGroup(groups, leaveOneOutAdvantages),
  };
}

/** `rae`: r − a moving average over earlier steps; the key is the episode's role. */
export function movingBaselineAdvantage(): AdvantagePart<"baseline", "single"> {
  return {
    slot: "advantage",
    part: "rae",
    needs: ["baseline"],
    start: "single",
    estimate: (groups, { state }) => {
      const episodes = groups.flatMap((all) => all.episodes);
      const { advantages, baseline } = movingBaselineAdvantages(
        state.baseline as MovingBaseline,
        episodes.map(({ score }) => score.reward),
        episodes.map(({ episode }) => episode.role),
      );
      return {
        advantages: new Map(
          episodes.map((scored, i) => [
            scored.episode.id,
            broadcast(scored, advantages[i] as number),
          ]),
        ),
        state: { baseline },
      };
    },
  };
}
