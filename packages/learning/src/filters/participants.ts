/** Drops trajectories that serve only for comparison or as opponents. */
import type { FilterPart, RewardedGroup } from "../composition/part.ts";
import { REFUSED } from "../rollouts/environment-change.ts";
import { REFERENCE } from "../rollouts/several-references.ts";
import { type OpponentPool, recordGame } from "../states/opponent-pool.ts";
import { filterPart, keepTrajectories } from "./filter-part.ts";
import { selectBy } from "./selection.ts";
import { stepMask } from "./step-choice.ts";

/** The loss of the turns that the contract accepted. */
export function dropRefusedTurns(): FilterPart {
  return stepMask(({ toolResults }) =>
    toolResults.every((result) => result.ok || !result.error.message.startsWith(REFUSED)),
  );
}

/** Keeps only trajectories of role `policy`, which have tools; drops those for comparison. */
export function ownTrajectories(): FilterPart {
  return filterPart("own-trajectories", (groups) =>
    keepTrajectories(groups, (all) =>
      selectBy(all, ({ trajectory }) => (trajectory.role === "policy" ? null : "for-comparison")),
    ),
  );
}

/** Drops reference trajectories, which serve only for comparison. */
export function withoutReferences(): FilterPart {
  return filterPart("own-trajectories", (groups) =>
    keepTrajectories(groups, (all) =>
      selectBy(all, ({ trajectory }) => (trajectory.role === REFERENCE ? "for-comparison" : null)),
    ),
  );
}

/**
 * Drops trajectories of past checkpoints, which are not the policy's. Records the results of its matches
 * against them: a positive reward, as `matchOutcome` gives, is a win.
 */
export function withoutOpponents(names: readonly string[] = ["opponent"]): FilterPart<"opponents"> {
  return filterPart(
    "learners",
    (groups, { state }) => ({
      ...keepTrajectories(groups, (trajectories) =>
        selectBy(trajectories, ({ trajectory }) =>
          names.includes(trajectory.role) ? "opponent" : null,
        ),
      ),
      state: { opponents: withGames(state.opponents as OpponentPool, groups, names) },
    }),
    { needs: ["opponents"] },
  );
}

function withGames(
  pool: OpponentPool,
  groups: readonly RewardedGroup[],
  names: readonly string[],
): OpponentPool {
  return groups
    .flatMap(({ trajectories }) => trajectories)
    .reduce((played, { trajectory: { opponent, role }, reward }) => {
      if (opponent === undefined || names.includes(role)) return played;
      return recordGame(played, opponent, (1 + Math.sign(reward.total)) / 2);
    }, pool);
}
