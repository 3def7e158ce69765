/** A separate advantage estimator for each role of a team. */
import { definePart } from "../composition/part-options.ts";
import type { AdvantagePart, RewardedGroup } from "../composition/part.ts";
import type { StateName } from "../composition/state.ts";
import { advantagePart } from "./credit.ts";

/** Each estimator sees only the trajectories of its role. Trajectories of other roles have no advantage. */
export function byRole<N extends StateName = never>(estimators: {
  readonly [role: string]: AdvantagePart<N> | AdvantagePart;
}): AdvantagePart<N, "group"> {
  const roles = Object.keys(estimators);
  return definePart(
    {},
    (_, inner) => ofEachRole(inner.map((estimator, i) => [roles[i] as string, estimator])),
    Object.values(estimators) as AdvantagePart<N>[],
  );
}

function ofEachRole<N extends StateName>(
  all: readonly (readonly [role: string, estimator: AdvantagePart<N>])[],
): AdvantagePart<N, "group"> {
  const [[, first] = [undefined, undefined]] = all;
  return advantagePart(
    first?.part ?? "group",
    "group",
    (groups, context) => {
      const estimates = all.map(([role, { estimate }]) => estimate(ofRole(groups, role), context));
      return {
        advantages: new Map(estimates.flatMap(({ advantages }) => [...advantages])),
        returns: new Map(estimates.flatMap(({ returns }) => [...(returns ?? [])])),
        state: Object.assign({}, ...estimates.map(({ state }) => state)) as object,
      };
    },
    { needs: all.flatMap(([, { needs }]) => needs), around: all.map(([, estimator]) => estimator) },
  );
}

function ofRole(groups: readonly RewardedGroup[], role: string): RewardedGroup[] {
  return groups
    .map(({ task, trajectories }) => ({
      task,
      trajectories: trajectories.filter(({ trajectory }) => trajectory.role === role),
    }))
    .filter(({ trajectories }) => trajectories.length > 0);
}
