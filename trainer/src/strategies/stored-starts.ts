/** Rollouts that begin in the middle of stored trajectories: at single turns, or after their first ones. */
import type { JudgedTrajectory, JudgedGroup, RolloutPlan } from "@waggle/learning";
import { inLanes } from "../rollouts/lanes.ts";
import { seededRandom } from "../rollouts/random.ts";
import { drawnFrom } from "./drawn-from.ts";
import type { RolloutOptions } from "../rollouts/environment-rollout.ts";
import { stepReplays } from "./searched-rollouts.ts";
import { nameOf, taskOf } from "../rollouts/task-names.ts";

/** A rollout of the policy at a trajectory's task, from one of its turns. */
export type GoOn = (
  trajectory: JudgedTrajectory,
  place: readonly number[],
  how: Partial<Pick<RolloutOptions, "from" | "around" | "maxTurns">> &
    Partial<Pick<JudgedTrajectory, "branch" | "role">>,
) => Promise<JudgedTrajectory>;

/** Single turns, each a group of actions of the policy as it is now. */
export async function pivots(
  size: number,
  count: number,
  stored: readonly JudgedTrajectory[],
  seed: number,
  goOn: GoOn,
): Promise<JudgedGroup[]> {
  const turns = stored.flatMap((trajectory) =>
    trajectory.record.turns.flatMap((original, turn) =>
      original.toolCalls.length > 0 ? [{ trajectory, turn, original }] : [],
    ),
  );
  const chosen = drawnFrom(turns, count, seed);
  return inLanes(chosen.length, async (at) => {
    const { trajectory, turn, original } = chosen[at] as (typeof chosen)[number];
    const actions = Array.from({ length: size }, (_, i) =>
      goOn(trajectory, [at, i], {
        from: { trajectory: trajectory.record, turns: turn },
        branch: { trajectory: trajectory.id, turn, original },
        maxTurns: turn + 1,
      }),
    );
    const task = `${nameOf(taskOf(trajectory))}/${trajectory.id}/${turn}`;
    return { task, trajectories: await Promise.all(actions) };
  });
}

/** The first turns of failures or successes, gone on from; or single steps of them, compared. */
export async function prefixes(
  { size, source, continuations }: Extract<RolloutPlan, { kind: "prefix" }>,
  count: number,
  stored: readonly JudgedTrajectory[],
  seed: number,
  goOn: GoOn,
): Promise<JudgedGroup[]> {
  const wanted = stored.filter(
    ({ verification, record: trajectory }) =>
      verification.success === (source === "expert") && trajectory.turns.length > 1,
  );
  const random = seededRandom(seed, 0x9f1);
  const chosen = drawnFrom(wanted, count, seed).map((trajectory) => ({
    trajectory,
    turns: 1 + Math.floor(random() * (trajectory.record.turns.length - 1)),
  }));
  return inLanes(chosen.length, async (at) => {
    const { trajectory, turns } = chosen[at] as (typeof chosen)[number];
    if (continuations !== undefined) {
      const begun = (i: number) => (how: Parameters<GoOn>[2]) => goOn(trajectory, [at, i], how);
      return stepReplays(trajectory, turns, continuations, begun);
    }
    const attempts = Array.from({ length: size }, (_, i) =>
      goOn(trajectory, [at, i], {
        from: { trajectory: trajectory.record, turns },
        branch: { trajectory: trajectory.id, turn: turns },
      }),
    );
    const task = `${nameOf(taskOf(trajectory))}/${trajectory.id}/${turns}`;
    return { task, trajectories: await Promise.all(attempts) };
  });
}
