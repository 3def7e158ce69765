/** Keeps the retold line of a search, and stores the search trees. */
import { verifiedWorth } from "../composition/judged-trajectory.ts";
import { option, definePart } from "../composition/part-options.ts";
import type { FilterPart } from "../composition/part.ts";
import { withRollouts } from "../rollouts/tree-search.ts";
import type { StoredTrees } from "../states/search-tree.ts";
import { filterPart, keepTrajectories } from "./filter-part.ts";
import { withTurns } from "./forks.ts";
import { selectBy } from "./selection.ts";

/**
 * `verify`: keeps only retold rollouts with a verified reward above the threshold. Trains the turns from the
 * first retold one on, or `whole` rollouts.
 */
export function retold(whole?: boolean): FilterPart {
  return definePart({ threshold: option(undefined, 1), whole: option(whole, false) }, (given) =>
    retoldSuccesses(given.threshold, given.whole),
  );
}

function retoldSuccesses(threshold: number, whole: boolean): FilterPart {
  return filterPart("verify", (groups) => {
    const kept = keepTrajectories(groups, (trajectories) =>
      selectBy(trajectories, ({ trajectory }) => {
        if (trajectory.role !== "retold") return "not-retold";
        return verifiedWorth(trajectory) >= threshold ? null : "ended-badly";
      }),
    );
    if (!whole) return kept;
    return {
      ...kept,
      groups: kept.groups.map(({ task, trajectories }) => ({
        task,
        trajectories: trajectories.map((rewarded) => withTurns(rewarded, () => true)),
      })),
    };
  });
}

/** Stores the trees of the rollouts by task; changes nothing else. */
export function storeTrees(): FilterPart<"tree-store"> {
  return filterPart(
    "kept-trees",
    (groups, { state }) => {
      const trees = withRollouts(state["tree-store"] as StoredTrees, groups);
      return { groups, dropped: new Map(), state: { "tree-store": trees } };
    },
    { needs: ["tree-store"] },
  );
}
