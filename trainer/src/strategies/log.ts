/**
 * Stored trajectories as groups by task, and beside them the policy's own actions in their states.
 * A proposal repeats the stored turns before its own, so that its text is right. Its action is not
 * executed unless the plan asks for the result.
 */
import { type JudgedEnvironment, silentAfter } from "@waggle/environments";
import type { JudgedTrajectory, JudgedGroup } from "@waggle/learning";
import { seededChoice } from "./seeded-choice.ts";
import { inLanes } from "../rollouts/lanes.ts";
import { seededRandom } from "@waggle/protocol";
import type { RolloutReading } from "../rollouts/rollout-reading.ts";
import { readAgain } from "./read-again.ts";
import { type Continue, continuing } from "./single-rollout.ts";
import type { CollectParts, PlanOf, RolloutStep, RolloutStrategy } from "./strategy.ts";
import { nameOf, taskOf } from "../rollouts/task-names.ts";

export const loggedTrajectories: RolloutStrategy<PlanOf<"log">> = {
  startsFromStored: true,
  collect: (plan, step) => logged(plan, step, continuing(step)),
};

/**
 * At most as many tasks as the step has and `plan.size` trajectories of each; every trajectory is
 * used once.
 */
function logged(
  plan: PlanOf<"log">,
  { tasks: { length: count }, stored, parts, options: { seed } }: RolloutStep,
  propose: Continue,
): Promise<JudgedGroup[]> {
  const byName = new Map<string, Map<string, JudgedTrajectory>>();
  for (const trajectory of stored) {
    if (trajectory.role === "proposal") continue;
    const name = nameOf(taskOf(trajectory));
    byName.set(
      name,
      (byName.get(name) ?? new Map<string, JudgedTrajectory>()).set(trajectory.id, trajectory),
    );
  }
  const chosen = seededChoice([...byName], count, seed);
  const random = seededRandom(seed, 0x109);
  const groups = chosen.map(([task, byId]) => ({
    task,
    trajectories: [...byId.values()].slice(-plan.size).map((trajectory) => ({
      trajectory,
      turn: Math.floor(random() * trajectory.record.turns.length),
    })),
  }));
  const { count: proposals, answered = false } = plan.proposals;
  return inLanes(groups.length, async (at) => {
    const { task, trajectories } = groups[at] as (typeof groups)[number];
    const proposed = await Promise.all(
      trajectories.flatMap(({ trajectory, turn }, e) =>
        Array.from({ length: trajectory.record.turns.length === 0 ? 0 : proposals }, (_, i) =>
          propose(trajectory, [at, e, i], {
            role: "proposal",
            from: { trajectory: trajectory.record, turns: turn },
            branch: { trajectory: trajectory.id, turn },
            maxTurns: turn + 1,
            ...(answered
              ? {}
              : { around: (instance: JudgedEnvironment) => silentAfter(instance, turn) }),
          }),
        ),
      ),
    );
    const shown = await Promise.all(
      trajectories.map(({ trajectory }) => asRead(trajectory, parts.reader?.(at), parts)),
    );
    return { task, trajectories: [...shown, ...proposed] };
  });
}

/** A stored trajectory, rendered again with what its stage gives to read. */
async function asRead(
  trajectory: JudgedTrajectory,
  reading: RolloutReading | undefined,
  { spec, format, policy }: CollectParts,
): Promise<JudgedTrajectory> {
  if (reading === undefined) return trajectory;
  return readAgain(trajectory, reading, spec, format, policy.contextLength);
}
