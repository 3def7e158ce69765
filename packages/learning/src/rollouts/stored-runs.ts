/** Rollouts that start from stored trajectories: at single turns, or after their first turns. */
import { seededRandom } from "@waggle/protocol";
import type { JudgedGroup, JudgedTrajectory } from "../composition/judged-trajectory.ts";
import { option, definePart } from "../composition/part-options.ts";
import type { RolloutPart } from "../composition/part.ts";
import type { RolloutChanges } from "../composition/rollout-driver.ts";
import type { RolloutStrategy } from "../composition/rollout-strategy.ts";
import { taskName, taskOf } from "../composition/task-names.ts";
import { many, rolloutPart } from "./rollout-part.ts";
import { seededChoice, startingAt } from "./stored-choice.ts";

/** The name of a group that starts after these turns of a stored trajectory. */
const nameAfter = (trajectory: JudgedTrajectory, turns: number): string =>
  `${taskName(taskOf(trajectory))}/${trajectory.id}/${turns}`;

/** Actions of the current policy at single turns with calls, one group per turn. */
function pivotStrategy(size: number): RolloutStrategy {
  return {
    name: "pivot",
    options: { size },
    startsFromStored: true,
    rollOut: (driver) => {
      const turns = driver.stored.flatMap((trajectory) =>
        trajectory.record.turns.flatMap((original, turn) =>
          original.toolCalls.length > 0 ? [{ trajectory, turn, original }] : [],
        ),
      );
      const chosen = seededChoice(turns, driver.tasks.length, driver.seed);
      return driver.inLanes(chosen.length, async (at) => {
        const { trajectory, turn, original } = chosen[at] as (typeof chosen)[number];
        const trajectories = await many(size, (i) =>
          driver.rollOut(taskOf(trajectory), [at, i], {
            from: { trajectory: trajectory.record, turns: turn },
            branch: { trajectory: trajectory.id, turn, original },
            maxTurns: turn + 1,
          }),
        );
        return { task: nameAfter(trajectory, turn), trajectories };
      });
    },
  };
}

/** `pivot`: `size` actions at single turns of stored trajectories; default 8. */
export function pivot(size?: number): RolloutPart<never, "group"> {
  return definePart({ groupSize: option(size, 8) }, ({ groupSize }) =>
    rolloutPart("pivot", "group", pivotStrategy(groupSize)),
  );
}

type PrefixOptions = {
  readonly size: number;
  readonly source: "failed" | "expert";
  /**
   * If set, compares single steps: a group has the stored trajectory in the role `expert`, the policy's rollout from
   * one of its turns, and this number of continuations after that step of each.
   */
  readonly continuations?: number;
};

/** Rollouts that continue the first turns of stored failures or successes. */
function prefixStrategy(options: PrefixOptions): RolloutStrategy {
  const { size, source, continuations } = options;
  return {
    name: "prefix",
    options,
    startsFromStored: true,
    rollOut: (driver) => {
      const wanted = driver.stored.filter(
        ({ verification, record }) =>
          verification.success === (source === "expert") && record.turns.length > 1,
      );
      const random = seededRandom(driver.seed, 0x9f1);
      const chosen = seededChoice(wanted, driver.tasks.length, driver.seed).map((trajectory) => ({
        trajectory,
        turns: 1 + Math.floor(random() * (trajectory.record.turns.length - 1)),
      }));
      return driver.inLanes(chosen.length, async (at) => {
        const { trajectory, turns } = chosen[at] as (typeof chosen)[number];
        const begun = (i: number, from: RolloutChanges): Promise<JudgedTrajectory> =>
          driver.rollOut(taskOf(trajectory), [at, i], from);
        if (continuations !== undefined)
          return comparedSteps(trajectory, turns, continuations, begun);
        const trajectories = await many(size, (i) => begun(i, startingAt(trajectory, turns)));
        return { task: nameAfter(trajectory, turns), trajectories };
      });
    },
  };
}

/**
 * A stored trajectory, the policy's rollout from one of its turns, and `continuations` rollouts after that step of
 * each. A step that ended the task has no continuations.
 */
async function comparedSteps(
  stored: JudgedTrajectory,
  turn: number,
  continuations: number,
  begun: (nth: number, from: RolloutChanges) => Promise<JudgedTrajectory>,
): Promise<JudgedGroup> {
  const own = await begun(0, startingAt(stored, turn));
  const after = [stored, own].flatMap((root) =>
    turn + 1 < root.record.turns.length ? Array<JudgedTrajectory>(continuations).fill(root) : [],
  );
  const more = await Promise.all(after.map((root, i) => begun(i + 1, startingAt(root, turn + 1))));
  return {
    task: nameAfter(stored, turn),
    trajectories: [{ ...stored, role: "expert" }, own, ...more],
  };
}

/** `prefix-replay`: `size` continuations of the first turns of a stored trajectory; default 8. */
export function prefixReplay(
  source: "failed" | "expert",
  size?: number,
): RolloutPart<never, "group"> {
  return definePart({ groupSize: option(size, 8) }, ({ groupSize }) =>
    rolloutPart("prefix-replay", "group", prefixStrategy({ size: groupSize, source })),
  );
}

/**
 * `prefix-replay` of single steps: at a turn of a stored success, both the policy's action and the stored one
 * are continued `continuations` times. The stored trajectory has the role `expert`.
 */
export function stepReplay(continuations?: number): RolloutPart<never, "group"> {
  return definePart({ continuations: option(continuations, 3) }, (given) =>
    rolloutPart("prefix-replay", "group", prefixStrategy({ size: 1, source: "expert", ...given })),
  );
}
