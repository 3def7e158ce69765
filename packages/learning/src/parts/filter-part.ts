/** How filter parts are made: by episode, by group, by token. */
import type {
  FilterPart,
  Filtered,
  PartContext,
  ScoredEpisode,
  ScoredGroup,
} from "../composition/part.ts";
import type { StateName } from "../composition/state.ts";
import type { Selection } from "../filters/selection.ts";

/** A filter under its name. */
export function filterPart<N extends StateName = never>(
  part: string,
  apply: (groups: readonly ScoredGroup[], context: PartContext) => Filtered,
  more: { readonly needs?: readonly N[]; readonly chooseTasks?: FilterPart["chooseTasks"] } = {},
): FilterPart<N> {
  const { needs = [], chooseTasks } = more;
  return {
    slot: "filter",
    part,
    needs,
    apply,
    ...(chooseTasks === undefined ? {} : { chooseTasks }),
  };
}

/** Keeps some of all episodes; a group that loses all of them is gone. */
export function keepEpisodes(
  groups: readonly ScoredGroup[],
  select: (episodes: readonly ScoredEpisode[]) => Selection,
): Filtered {
  const all = groups.flatMap(({ task, episodes }) => episodes.map((scored) => ({ task, scored })));
  const { kept, dropped } = select(all.map(({ scored }) => scored));
  const wanted = new Set(kept.map((i) => all[i]?.scored.episode.id));
  return {
    groups: groups
      .map(({ task, episodes }) => ({
        task,
        episodes: episodes.filter(({ episode }) => wanted.has(episode.id)),
      }))
      .filter(({ episodes }) => episodes.length > 0),
    dropped: new Map(
      [...dropped].map(([i, reason]) => [all[i]?.scored.episode.id ?? "", reason] as const),
    ),
  };
}

/** Keeps some groups whole. */
export function keepGroups(
  groups: readonly ScoredGroup[],
  select: (groups: readonly ScoredGroup[]) => Selection,
): Filtered {
  const { kept, dropped } = select(groups);
  const reasons = new Map<string, string>();
  for (const [i, reason] of dropped) {
    for (const { episode } of groups[i]?.episodes ?? []) reasons.set(episode.id, reason);
  }
  return { groups: kept.map((i) => groups[i] as ScoredGroup), dropped: reasons };
}

/** Changes each episode's masks and weights; leaves none out. */
export function changeEpisodes(
  groups: readonly ScoredGroup[],
  change: (scored: ScoredEpisode) => ScoredEpisode,
): Filtered {
  return {
    groups: groups.map(({ task, episodes }) => ({ task, episodes: episodes.map(change) })),
    dropped: new Map(),
  };
}
