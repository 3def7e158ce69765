/**
 * `log`: groups of stored trajectories by task, with actions that the policy proposes at their turns. A proposal
 * first repeats the stored turns, so that its context has the right text. Its action is only executed if the part
 * asks for the result.
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
  /** Number of proposed actions at one turn of each stored trajectory. */
  readonly count: number;
  /** Whether the environment executes them. */
  readonly answered?: boolean;
};

/**
 * Takes as many tasks as the step has and up to `size` trajectories of each. Every trajectory is used once.
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
 * `log`: stored trajectories. The policy proposes `count` actions at one turn of each. The environment executes them
 * only if `answered` is set.
 */
export function log(
  size?: number,
  proposals: Proposals = { count: 0 },
): RolloutPart<never, "group"> {
  return definePart({ groupSize: option(size, 8) }, ({ groupSize }) =>
    rolloutPart("log", "group", logStrategy(groupSize, proposals)),
  );
}
