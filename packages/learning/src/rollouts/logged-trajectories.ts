/**
 * `log`: stored trajectories as groups by task, and beside them the policy's own actions in their states. A proposal
 * repeats the stored turns before its own, so that its text is right. Its action is not executed unless the part asks
 * for the result.
 */
import { seededRandom } from "@waggle/protocol";
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import { option, definePart } from "../composition/part-options.ts";
import type { RolloutPart } from "../composition/part.ts";
import type { RolloutChanges } from "../composition/rollout-driver.ts";
import type { RolloutStrategy } from "../composition/rollout-strategy.ts";
import { taskName, taskOf } from "../composition/task-names.ts";
import { rolloutPart } from "./rollout-part.ts";
import { seededChoice } from "./stored-choice.ts";

type Proposals = {
  /** Actions of the policy at a turn of each stored trajectory. */
  readonly count: number;
  /** Whether the environment answers them. */
  readonly answered?: boolean;
};

/**
 * At most as many tasks as the step has and `size` trajectories of each; every trajectory is used
 * once.
 */
function logStrategy(size: number, proposals: Proposals): RolloutStrategy {
  return {
    name: "log",
    options: { size, proposals },
    startsFromStored: true,
    rollOut: (driver) => {
      const { seed, stored, tasks } = driver;
      const random = seededRandom(seed, 0x109);
      const groups = seededChoice(byTaskName(stored), tasks.length, seed).map(([task, byId]) => ({
        task,
        trajectories: [...byId.values()].slice(-size).map((trajectory) => ({
          trajectory,
          turn: Math.floor(random() * trajectory.record.turns.length),
        })),
      }));
      return driver.inLanes(groups.length, async (at) => {
        const { task, trajectories } = groups[at] as (typeof groups)[number];
        const proposed = await Promise.all(
          trajectories.flatMap(({ trajectory, turn }, e) =>
            Array.from(
              { length: trajectory.record.turns.length === 0 ? 0 : proposals.count },
              (_, i) =>
                driver.rollOut(
                  taskOf(trajectory),
                  [at, e, i],
                  proposedAt(trajectory, turn, proposals),
                ),
            ),
          ),
        );
        const shown = await Promise.all(
          trajectories.map(({ trajectory }) => driver.readAgain(trajectory, at)),
        );
        return { task, trajectories: [...shown, ...proposed] };
      });
    },
  };
}

/** Stored trajectories by task and id, without proposals. */
function byTaskName(
  stored: readonly JudgedTrajectory[],
): [string, ReadonlyMap<string, JudgedTrajectory>][] {
  const byName = new Map<string, Map<string, JudgedTrajectory>>();
  for (const trajectory of stored) {
    if (trajectory.role === "proposal") continue;
    const name = taskName(taskOf(trajectory));
    const byId = byName.get(name) ?? new Map<string, JudgedTrajectory>();
    byName.set(name, byId.set(trajectory.id, trajectory));
  }
  return [...byName];
}

function proposedAt(
  trajectory: JudgedTrajectory,
  turn: number,
  { answered = false }: Proposals,
): RolloutChanges {
  return {
    role: "proposal",
    from: { trajectory: trajectory.record, turns: turn },
    branch: { trajectory: trajectory.id, turn },
    maxTurns: turn + 1,
    environment: answered ? null : { kind: "silent", after: turn },
  };
}

/**
 * `log`: stored trajectories, without the environment. For each, `proposals` actions of the policy at one of
 * its turns; the environment answers them only with `answered`.
 */
export function log(
  size?: number,
  proposals: Proposals = { count: 0 },
): RolloutPart<never, "group"> {
  return definePart({ groupSize: option(size, 8) }, ({ groupSize }) =>
    rolloutPart("log", "group", logStrategy(groupSize, proposals)),
  );
}
