/** Leaves out trajectories that the others of a group are only compared with. */
import type { FilterPart, RewardedGroup } from "../composition/part.ts";
import { REFUSED } from "../rollouts/environment-change.ts";
import { REFERENCE } from "../rollouts/several-references.ts";
import { type OpponentPool, recordGame } from "../states/opponent-pool.ts";
import { filterPart, keepTrajectories } from "./filter-part.ts";
import { selectBy } from "./selection.ts";
import { stepMask } from "./step-choice.ts";

/** The loss of turns that the contract let through. */
export function withoutRefused(): FilterPart {
  return stepMask(({ toolResults }) =>
    toolResults.every((result) => result.ok || !result.error.message.startsWith(REFUSED)),
  );
}

/** Only trajectories of the policy with tools are learned from: what they are compared with is left out. */
export function ownTrajectories(): FilterPart {
  return filterPart("own-trajectories", (groups) =>
    keepTrajectories(groups, (all) =>
      selectBy(all, ({ trajectory }) => (trajectory.role === "policy" ? null : "for-comparison")),
    ),
  );
}

/** What they are compared with is not learned from. */
export function withoutReferences(): FilterPart {
  return filterPart("own-trajectories", (groups) =>
    keepTrajectories(groups, (all) =>
      selectBy(all, ({ trajectory }) => (trajectory.role === REFERENCE ? "for-comparison" : null)),
    ),
  );
}

/**
 * Trajectories of past checkpoints are left out: what they said was not the policy's. How its matches with them
 * ended is kept: a reward above 0 is one that it won, `matchOutcome`'s.
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
