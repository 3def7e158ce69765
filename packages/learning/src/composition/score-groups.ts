/**
 * From groups as they were rolled out to what a stage learns from: scores, then the stage's filters one
 * after another. Runs no model.
 */
import { WaggleError } from "@waggle/protocol";
import type { EpisodeGroup } from "./episode.ts";
import { scoredEpisode } from "./minibatch.ts";
import type { Filtered, PartContext, Score, ScoredGroup, StateChange } from "./part.ts";
import { settingsAt, type Stage } from "./stage.ts";

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
  const scored = await Promise.all(groups.map((group) => scoreGroup(stage, group, context)));
  return filterGroups(stage, scored, context);
}

/** A group with what the stage's reward says of each episode at this step. Throws as `scoreGroups`. */
export async function scoreGroup(
  stage: Stage,
  group: EpisodeGroup,
  context: PartContext,
): Promise<ScoredGroup> {
  const scores = await scoresOf(stage, group, atStep(stage, context));
  const episodes = group.episodes.map((episode, i) => scoredEpisode(episode, scores[i] as Score));
  return { task: group.task, episodes };
}

/**
 * What the stage's filters leave of the groups of one step. An episode that lost its siblings is left out
 * where the advantage compares siblings.
 */
export function filterGroups(
  stage: Stage,
  scored: readonly ScoredGroup[],
  given: PartContext,
): Kept {
  const context = atStep(stage, given);
  let kept = scored;
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
  const alone = leftAlone(stage, scored, kept);
  for (const group of alone) {
    for (const { episode } of group.episodes) dropped.set(episode.id, "group-of-one");
  }
  return { groups: kept.filter((group) => !alone.has(group)), dropped, pairs, state };
}

/** With the weights that the schedule gives reward components at this step. */
function atStep(stage: Stage, context: PartContext): PartContext {
  return { ...context, rewardWeights: settingsAt(stage, context).rewardWeights };
}

/** Groups of several that filters left one episode of, where that one has no baseline then. */
function leftAlone(
  { learns, advantage }: Stage,
  before: readonly ScoredGroup[],
  after: readonly ScoredGroup[],
): ReadonlySet<ScoredGroup> {
  if (learns !== "rewards" || advantage?.start !== "group") return new Set();
  const several = new Set(
    before.flatMap(({ task, episodes }) => (episodes.length > 1 ? [task] : [])),
  );
  return new Set(after.filter(({ task, episodes }) => episodes.length === 1 && several.has(task)));
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
