/**
 * Stored trajectories as groups of one task, and beside them what the policy would do in their states. A
 * proposal's turns before its own are the stored ones, repeated so that its text is right; its own action
 * reaches nobody unless the plan wants it answered.
 */
import type { JudgedEnvironment } from "@waggle/environments";
import type { JudgedTrajectory, JudgedGroup, RolloutPlan } from "@waggle/learning";
import { drawnFrom } from "./drawn-from.ts";
import { inLanes } from "../rollouts/lanes.ts";
import { seededRandom } from "../rollouts/random.ts";
import type { GoOn } from "./stored-starts.ts";
import { nameOf, taskOf } from "../rollouts/task-names.ts";

/** Trajectories by task, `count` tasks of at most `plan.size`, each trajectory once. */
export function loggedTrajectories(
  plan: Extract<RolloutPlan, { kind: "log" }>,
  stored: readonly JudgedTrajectory[],
  count: number,
  seed: number,
  propose: GoOn,
  /** A stored trajectory as it is learned from, where something is read before it. */
  asRead: (trajectory: JudgedTrajectory, at: number) => Promise<JudgedTrajectory> = (trajectory) =>
    Promise.resolve(trajectory),
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
  const chosen = drawnFrom([...byName], count, seed);
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
    const shown = await Promise.all(trajectories.map(({ trajectory }) => asRead(trajectory, at)));
    return { task, trajectories: [...shown, ...proposed] };
  });
}

/** The environment for so many turns; what is done after them is not answered. */
function silentAfter(instance: JudgedEnvironment, turns: number): JudgedEnvironment {
  const { environment } = instance;
  let left = turns;
  return {
    ...instance,
    environment: {
      task: environment.task,
      observe: () => environment.observe(),
      async step(action, signal) {
        left -= 1;
        if (left >= 0) return environment.step(action, signal);
        return { toolResults: [], terminated: true };
      },
    },
  };
}
