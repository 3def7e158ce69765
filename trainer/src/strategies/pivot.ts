/**
 * `pivot`: actions of the current policy at single turns of stored trajectories, one group per
 * turn.
 */
import { seededChoice } from "./seeded-choice.ts";
import { inLanes } from "../rollouts/lanes.ts";
import { nameOf, taskOf } from "../rollouts/task-names.ts";
import { continuing, many } from "./single-rollout.ts";
import type { PlanOf, RolloutStrategy } from "./strategy.ts";

export const pivotActions: RolloutStrategy<PlanOf<"pivot">> = {
  startsFromStored: true,
  collect: ({ size }, step) => {
    const turns = step.stored.flatMap((trajectory) =>
      trajectory.record.turns.flatMap((original, turn) =>
        original.toolCalls.length > 0 ? [{ trajectory, turn, original }] : [],
      ),
    );
    const goOn = continuing(step);
    const chosen = seededChoice(turns, step.tasks.length, step.options.seed);
    return inLanes(chosen.length, async (at) => {
      const { trajectory, turn, original } = chosen[at] as (typeof chosen)[number];
      const trajectories = await many(size, (i) =>
        goOn(trajectory, [at, i], {
          from: { trajectory: trajectory.record, turns: turn },
          branch: { trajectory: trajectory.id, turn, original },
          maxTurns: turn + 1,
        }),
      );
      return { task: `${nameOf(taskOf(trajectory))}/${trajectory.id}/${turn}`, trajectories };
    });
  },
};
