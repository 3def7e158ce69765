/**
 * A memory that one role keeps and another answers from: rollouts in which neither sees what the other saw,
 * and parts that are one role's alone.
 */
import { dial, made } from "../composition/making.ts";
import type { AdvantagePart, LossPart, RolloutPart, RewardedGroup } from "../composition/part.ts";
import type { StateName, StatePart } from "../composition/state.ts";
import { advantagePart } from "./credit.ts";
import { group, single } from "./rollouts.ts";

/** The environment's own memory: nothing is opened for it. */
export const ownMemory: StatePart<"memory-bank"> = {
  slot: "state",
  part: "memory-bank",
  initial: () => "environment",
};

/**
 * `group`: `size` rollouts at each task, in an environment with a memory. `manager` has every line, with one
 * operation to make of it, `answerer` the question; each turn is a `single` trajectory of its role.
 */
export function managedMemory(
  managed: { readonly manager: string; readonly answerer: string },
  size?: number,
): RolloutPart<"memory-bank", "group"> {
  return made({ groupSize: dial(size, 8) }, ({ groupSize }) => ({
    ...{ slot: "rollout", part: "group", start: "group", needs: ["memory-bank"] },
    plan: () => ({
      ...{ kind: "folded", mistakes: null, consolidates: false, size: groupSize },
      managed,
    }),
    around: [group(groupSize), single(1)],
  }));
}

/** An estimator for each role: each sees the trajectories of its own role alone. Others have no advantage. */
export function byRole<N extends StateName = never>(estimators: {
  readonly [role: string]: AdvantagePart<N> | AdvantagePart;
}): AdvantagePart<N, "group"> {
  const roles = Object.keys(estimators);
  return made(
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
      const made = all.map(([role, { estimate }]) => estimate(ofRole(groups, role), context));
      return {
        advantages: new Map(made.flatMap(({ advantages }) => [...advantages])),
        returns: new Map(made.flatMap(({ returns }) => [...(returns ?? [])])),
        state: Object.assign({}, ...made.map(({ state }) => state)) as object,
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

/** A loss of the tokens of one role's trajectories. */
export function lossOfRole<N extends StateName>(role: string, loss: LossPart<N>): LossPart<N> {
  return made(
    {},
    (_, [inner]): LossPart<N> => ({
      ...inner,
      around: [inner],
      compute: (minibatch, context) =>
        inner.compute(
          {
            ...minibatch,
            lossMask: minibatch.lossMask.map((mask, row) =>
              minibatch.trajectories[row]?.trajectory.role === role ? mask : mask.map(() => false),
            ),
          },
          context,
        ),
    }),
    [loss],
  );
}
