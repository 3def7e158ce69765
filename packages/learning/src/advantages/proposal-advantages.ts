/** Advantages for a policy that proposes tasks and solves them. */
import type { AdvantagePart } from "../composition/part.ts";
import { SHOWN, SOLVER } from "../rollouts/proposals.ts";
import { indicesByKey } from "../statistics.ts";
import { withScale } from "./advantage-scale.ts";
import { advantagePart, byRewards } from "./credit.ts";
import { groupRelativeAdvantages } from "./group-advantages.ts";
import type { GroupAdvantageOptions } from "./group-advantage-options.ts";
import { byRoles } from "./per-agent.ts";

/** `group`: compares proposals for the same reference, and solutions of the same proposal. */
export function amongTries(options?: GroupAdvantageOptions): AdvantagePart<never, "group"> {
  return withScale(options, amongPeers);
}

function amongPeers(options: GroupAdvantageOptions): AdvantagePart<never, "group"> {
  return advantagePart("group", "group", (groups) =>
    byRewards(groups, (rewards, trajectories) => {
      const peers = trajectories.map(({ trajectory }) =>
        trajectory.role === SOLVER ? (trajectory.joint ?? "") : trajectory.role,
      );
      const advantages = rewards.map(() => 0);
      for (const [, members] of indicesByKey(peers)) {
        // A demonstration of a proposal has nothing to be compared with.
        if (trajectories[members[0] as number]?.trajectory.role === SHOWN) continue;
        const own = groupRelativeAdvantages(
          members.map((i) => rewards[i] as number),
          options,
        );
        for (const [at, i] of members.entries()) advantages[i] = own[at] as number;
      }
      return advantages;
    }),
  );
}

/** `per-agent`: proposers among proposers, solvers among all solvers; demonstrations get 0. */
export function proposerAndSolverAdvantages(
  options?: GroupAdvantageOptions,
): AdvantagePart<never, "group"> {
  return withScale(options, (scaled) => {
    return advantagePart("per-agent", "group", (groups) =>
      byRoles(groups, (ofRole, role) =>
        role === SHOWN ? ofRole.map(() => 0) : groupRelativeAdvantages(ofRole, scaled),
      ),
    );
  });
}
