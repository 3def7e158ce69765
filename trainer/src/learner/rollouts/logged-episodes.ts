/**
 * Stored episodes as groups of one task, and beside them what the policy would do in their states. A
 * proposal's turns before its own are the stored ones, repeated so that its text is right; its own action
 * reaches nobody unless the plan wants it answered.
 */
import type { TaskWorld } from "@waggle/environments";
import type { Episode, EpisodeGroup, RolloutPlan } from "@waggle/learning";
import { drawnFrom } from "./drawn-from.ts";
import { inLanes } from "../../lanes.ts";
import { seededRandom } from "../../random.ts";
import type { GoOn } from "./stored-starts.ts";
import { nameOf, taskOf } from "./task-names.ts";

/** Episodes by task, `count` tasks of at most `plan.size`, each episode once. */
export function loggedEpisodes(
  plan: Extract<RolloutPlan, { kind: "log" }>,
  stored: readonly Episode[],
  count: number,
  seed: number,
  propose: GoOn,
  /** A stored episode as it is learned from, where something is read before it. */
  asRead: (episode: Episode, at: number) => Promise<Episode> = (episode) =>
    Promise.resolve(episode),
): Promise<EpisodeGroup[]> {
  const byName = new Map<string, Map<string, Episode>>();
  for (const episode of stored) {
    if (episode.role === "proposal") continue;
    const name = nameOf(taskOf(episode));
    byName.set(name, (byName.get(name) ?? new Map<string, Episode>()).set(episode.id, episode));
  }
  const chosen = drawnFrom([...byName], count, seed);
  const random = seededRandom(seed, 0x109);
  const groups = chosen.map(([task, byId]) => ({
    task,
    episodes: [...byId.values()].slice(-plan.size).map((episode) => ({
      episode,
      turn: Math.floor(random() * episode.record.turns.length),
    })),
  }));
  const { count: proposals, answered = false } = plan.proposals;
  return inLanes(groups.length, async (at) => {
    const { task, episodes } = groups[at] as (typeof groups)[number];
    const proposed = await Promise.all(
      episodes.flatMap(({ episode, turn }, e) =>
        Array.from({ length: episode.record.turns.length === 0 ? 0 : proposals }, (_, i) =>
          propose(episode, [at, e, i], {
            role: "proposal",
            from: { trajectory: episode.record, turns: turn },
            branch: { episode: episode.id, turn },
            maxTurns: turn + 1,
            ...(answered ? {} : { around: (world: TaskWorld) => silentAfter(world, turn) }),
          }),
        ),
      ),
    );
    const shown = await Promise.all(episodes.map(({ episode }) => asRead(episode, at)));
    return { task, episodes: [...shown, ...proposed] };
  });
}

/** The world for so many turns; what is done after them is not answered. */
function silentAfter(world: TaskWorld, turns: number): TaskWorld {
  const { environment } = world;
  let left = turns;
  return {
    ...world,
    environment: {
      task: environment.task,
      observe: () => environment.observe(),
      async step(action, signal) {
        left -= 1;
        if (left >= 0) return environment.step(action, signal);
        return { toolResults: [], terminated: true };
      },
    },
  };
}
