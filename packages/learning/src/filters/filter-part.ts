/** Constructors of filter parts: by trajectory, by group, by token. */
import type {
  Filtered,
  FilterPart,
  PartContext,
  RewardedGroup,
  RewardedTrajectory,
} from "../composition/part.ts";
import type { StateName } from "../composition/state.ts";
import type { Selection } from "./selected.ts";

/** A named filter. */
export function filterPart<N extends StateName = never>(
  part: string,
  apply: (groups: readonly RewardedGroup[], context: PartContext) => Filtered,
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

/** Filters the trajectories of all groups; drops groups that lose all of theirs. */
export function keepTrajectories(
  groups: readonly RewardedGroup[],
  select: (trajectories: readonly RewardedTrajectory[]) => Selection,
): Filtered {
  const all = groups.flatMap(({ task, trajectories }) =>
    trajectories.map((rewarded) => ({ task, rewarded })),
  );
  const { kept, dropped } = select(all.map(({ rewarded }) => rewarded));
  const wanted = new Set(kept.map((i) => all[i]?.rewarded.trajectory.id));
  return {
    groups: groups
      .map(({ task, trajectories }) => ({
        task,
        trajectories: trajectories.filter(({ trajectory }) => wanted.has(trajectory.id)),
      }))
      .filter(({ trajectories }) => trajectories.length > 0),
    dropped: new Map(
      [...dropped].map(([i, reason]) => [all[i]?.rewarded.trajectory.id ?? "", reason] as const),
    ),
  };
}

/** Filters whole groups. */
export function keepGroups(
  groups: readonly RewardedGroup[],
  select: (groups: readonly RewardedGroup[]) => Selection,
): Filtered {
  const { kept, dropped } = select(groups);
  const reasons = new Map<string, string>();
  for (const [i, reason] of dropped) {
    for (const { trajectory } of groups[i]?.trajectories ?? []) reasons.set(trajectory.id, reason);
  }
  return { groups: kept.map((i) => groups[i] as RewardedGroup), dropped: reasons };
}

/** Changes the masks and weights of each trajectory; drops none. */
export function changeTrajectories(
  groups: readonly RewardedGroup[],
  change: (rewarded: RewardedTrajectory) => RewardedTrajectory,
): Filtered {
  return {
    groups: groups.map(({ task, trajectories }) => ({
      task,
      trajectories: trajectories.map(change),
    })),
    dropped: new Map(),
  };
}
