/**
 * From groups as they were rolled out to what a stage learns from: scores, then the stage's filters one
 * after another. Runs no model.
 */
import { WaggleError } from "@waggle/protocol";
import type { EpisodeGroup } from "./episode.ts";
import { scoredEpisode } from "./minibatch.ts";
import type { Filtered, PartContext, Score, ScoredGroup, StateChange } from "./part.ts";
import type { Stage } from "./stage.ts";

/** What is left, why the rest is not, and the state that filters leave. */
export type Kept = Required<Pick<Filtered, "groups" | "dropped" | "pairs">> & {
  readonly state: StateChange;
};

/**
 * @throws WaggleError `SHAPE_MISMATCH` where a reward scores another number of episodes than there are;
 *   what the parts throw.
 */
export async function scoreGroups(
  stage: Stage,
  groups: readonly EpisodeGroup[],
  context: PartContext,
): Promise<Kept> {
  let kept: readonly ScoredGroup[] = await Promise.all(
    groups.map(async (group) => {
      const scores = await scoresOf(stage, group, context);
      const episodes = group.episodes.map((episode, i) =>
        scoredEpisode(episode, scores[i] as Score),
      );
      return { task: group.task, episodes };
    }),
  );
  const dropped = new Map<string, string>();
  let pairs: NonNullable<Filtered["pairs"]> = [];
  const estimated =
    stage.learns === "rewards" ? undefined : stage.advantage?.estimate(kept, context);
  let state: StateChange = estimated?.state ?? {};
  for (const filter of stage.filters) {
    const filtered = filter.apply(kept, {
      ...context,
      state: { ...context.state, ...state },
      advantages: estimated?.advantages,
    });
    kept = filtered.groups;
    for (const [id, reason] of filtered.dropped) dropped.set(id, reason);
    pairs = filtered.pairs ?? pairs;
    state = { ...state, ...filtered.state };
  }
  return { groups: kept, dropped, pairs, state };
}

async function scoresOf(
  stage: Stage,
  group: EpisodeGroup,
  context: PartContext,
): Promise<readonly Score[]> {
  const { reward } = stage;
  if (reward === null) {
    return group.episodes.map(({ verification }) => ({ reward: verification.reward }));
  }
  const scores = await reward.score(group, context);
  if (scores.length !== group.episodes.length) {
    throw new WaggleError(
      "SHAPE_MISMATCH",
      `reward ${reward.part} must score each of the ${group.episodes.length} episodes of a group, got ${scores.length} scores; throw REWARD_UNAVAILABLE where it cannot judge`,
    );
  }
  return scores;
}
