/**
 * A merging stage within its budget, which the members and the gate's rollouts share. The run trains
 * the members and rolls out the tasks.
 */
import { type Stage, toJudgedTrajectory } from "@waggle/learning";
import type { TrainEngine } from "@waggle/protocol";
import { seededRandom } from "@waggle/protocol";
import { mean } from "../update/trajectory-metrics.ts";
import type { EnvironmentRollout } from "../rollouts/environment-rollout.ts";
import type { Budget, RunSpending } from "./run-spending.ts";
import { mergeMembers } from "../update/merge-update.ts";

export type MergingRun = {
  readonly engine: TrainEngine;
  readonly spending: RunSpending;
  /** Budget limit of the stage. */
  readonly limit: Budget | undefined;
  readonly seed: number;
  /** Trains the engine's current parameters on these stages, within this limit. */
  readonly learn: (member: readonly Stage[], limit: Budget | undefined) => Promise<void>;
  /**
   * Rolls out the first `count` training tasks with the engine's current parameters; the same tasks
   * every time.
   */
  readonly rollout: (count: number) => Promise<readonly EnvironmentRollout[]>;
};

/** Leaves the merge, or the member that the gate kept, in the engine. */
export async function mergedStage(
  merging: NonNullable<Stage["merging"]>,
  { engine, spending, limit, seed, learn, rollout }: MergingRun,
): Promise<void> {
  const ofMembers = spending.upTo(limit, 1 - (merging.gate?.share ?? 0));
  let left = merging.members.length;
  await mergeMembers(engine, merging, {
    learn: (member) => {
      left -= 1;
      return learn(member, spending.upTo(ofMembers, 1 / (left + 1)));
    },
    score: async ({ tasks }) => {
      const attempts = await rollout(tasks);
      spending.count(
        attempts.map(({ record: trajectory, verification }) => ({
          task: trajectory.id,
          trajectories: [toJudgedTrajectory(trajectory, verification)],
        })),
      );
      return mean(attempts.map(({ verification }) => Number(verification.success)));
    },
    random: seededRandom(seed, 0x3e),
  });
}
