/**
 * `prefix`: rollouts that continue the first turns of stored failures or successes; with
 * `continuations`, single steps of a success are compared with the policy's own.
 */
import type { JudgedTrajectory, JudgedGroup } from "@waggle/learning";
import { seededChoice } from "./seeded-choice.ts";
import { inLanes } from "../rollouts/lanes.ts";
import { seededRandom } from "@waggle/protocol";
import { nameOf, taskOf } from "../rollouts/task-names.ts";
import { type RolloutChanges, continuing, many } from "./single-rollout.ts";
import { startingAt } from "./stored-starts.ts";
import type { PlanOf, RolloutStrategy } from "./strategy.ts";

export const prefixContinuations: RolloutStrategy<PlanOf<"prefix">> = {
  startsFromStored: true,
  collect: ({ size, source, continuations }, step) => {
    const { seed } = step.options;
    const wanted = step.stored.filter(
      ({ verification, record }) =>
        verification.success === (source === "expert") && record.turns.length > 1,
    );
    const random = seededRandom(seed, 0x9f1);
    const chosen = seededChoice(wanted, step.tasks.length, seed).map((trajectory) => ({
      trajectory,
      turns: 1 + Math.floor(random() * (trajectory.record.turns.length - 1)),
    }));
    const goOn = continuing(step);
    return inLanes(chosen.length, async (at) => {
      const { trajectory, turns } = chosen[at] as (typeof chosen)[number];
      const begun = (i: number, from: RolloutChanges): Promise<JudgedTrajectory> =>
        goOn(trajectory, [at, i], from);
      if (continuations !== undefined)
        return comparedSteps(trajectory, turns, continuations, begun);
      const trajectories = await many(size, (i) => begun(i, startingAt(trajectory, turns)));
      return { task: `${nameOf(taskOf(trajectory))}/${trajectory.id}/${turns}`, trajectories };
    });
  },
};

/**
 * A stored trajectory, the policy's own rollout from one of its turns, and `continuations` rollouts
 * after that step of each. A step that ended the task has no continuations.
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
    task: `${nameOf(taskOf(stored))}/${stored.id}/${turn}`,
    trajectories: [{ ...stored, role: "expert" }, own, ...more],
  };
}
