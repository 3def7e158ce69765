/** Attempts that begin in the middle of stored episodes: at single turns, or after their first ones. */
import type { Episode, EpisodeGroup, RolloutPlan } from "@waggle/learning";
import { inLanes } from "../../lanes.ts";
import { seededRandom } from "../../random.ts";
import { drawnFrom } from "./drawn-from.ts";
import type { AttemptOptions } from "./family-attempt.ts";
import { stepReplays } from "./searched-attempts.ts";
import { nameOf, taskOf } from "./task-names.ts";

/** An attempt of the policy at an episode's task, from one of its turns. */
export type GoOn = (
  episode: Episode,
  place: readonly number[],
  how: Partial<Pick<AttemptOptions, "from" | "around" | "maxTurns">> &
    Partial<Pick<Episode, "branch" | "role">>,
) => Promise<Episode>;

/** Single turns, each a group of actions of the policy as it is now. */
export async function pivots(
  size: number,
  count: number,
  stored: readonly Episode[],
  seed: number,
  goOn: GoOn,
): Promise<EpisodeGroup[]> {
  const turns = stored.flatMap((episode) =>
    episode.record.turns.flatMap((original, turn) =>
      original.toolCalls.length > 0 ? [{ episode, turn, original }] : [],
    ),
  );
  const chosen = drawnFrom(turns, count, seed);
  return inLanes(chosen.length, async (at) => {
    const { episode, turn, original } = chosen[at] as (typeof chosen)[number];
    const actions = Array.from({ length: size }, (_, i) =>
      goOn(episode, [at, i], {
        from: { trajectory: episode.record, turns: turn },
        branch: { episode: episode.id, turn, original },
        maxTurns: turn + 1,
      }),
    );
    const task = `${nameOf(taskOf(episode))}/${episode.id}/${turn}`;
    return { task, episodes: await Promise.all(actions) };
  });
}

/** The first turns of failures or successes, gone on from; or single steps of them, compared. */
export async function prefixes(
  { size, source, continuations }: Extract<RolloutPlan, { kind: "prefix" }>,
  count: number,
  stored: readonly Episode[],
  seed: number,
  goOn: GoOn,
): Promise<EpisodeGroup[]> {
  const wanted = stored.filter(
    ({ verification, record: trajectory }) =>
      verification.success === (source === "expert") && trajectory.turns.length > 1,
  );
  const random = seededRandom(seed, 0x9f1);
  const chosen = drawnFrom(wanted, count, seed).map((episode) => ({
    episode,
    turns: 1 + Math.floor(random() * (episode.record.turns.length - 1)),
  }));
  return inLanes(chosen.length, async (at) => {
    const { episode, turns } = chosen[at] as (typeof chosen)[number];
    if (continuations !== undefined) {
      const begun = (i: number) => (how: Parameters<GoOn>[2]) => goOn(episode, [at, i], how);
      return stepReplays(episode, turns, continuations, begun);
    }
    const attempts = Array.from({ length: size }, (_, i) =>
      goOn(episode, [at, i], {
        from: { trajectory: episode.record, turns },
        branch: { episode: episode.id, turn: turns },
      }),
    );
    const task = `${nameOf(taskOf(episode))}/${episode.id}/${turns}`;
    return { task, episodes: await Promise.all(attempts) };
  });
}
