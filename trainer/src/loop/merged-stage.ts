/**
 * A merging stage within its budget, which the members and the gate's rollouts share. The run trains
 * the members and rolls out the tasks.
 */
import type { EnvironmentRollout } from "@waggle/agent/environments";
import { meanOrZero } from "@waggle/evaluation";
import { type Stage, toJudgedTrajectory } from "@waggle/learning";
import type { TrainEngine } from "@waggle/protocol";
import { seededRandom } from "@waggle/protocol";
import type { Budget, RunSpending } from "./run-spending.ts";
import type { AfterStep, MergePlace, StagePlace } from "./stage-place.ts";
import { mergeMembers } from "../update/merge-update.ts";

export type MergingRun = {
  readonly engine: TrainEngine;
  readonly spending: RunSpending;
  /** Budget limit of the stage. */
  readonly limit: Budget | undefined;
  readonly seed: number;
  /** Called before a member is trained within this limit, unless it is resumed. */
  readonly begin: (limit: Budget | undefined) => Promise<void>;
  /** Runs a stage of a member. */
  readonly stage: (stage: Stage, from: StagePlace | undefined, after: AfterStep) => Promise<void>;
  /** Called after each step with the number of steps of all members. */
  readonly after: (stepsDone: number, place: MergePlace) => Promise<void>;
  /**
   * Rolls out the first `count` training tasks with the engine's current parameters; the same tasks
   * every time.
   */
  readonly rollout: (count: number) => Promise<readonly EnvironmentRollout[]>;
};

/** Leaves the merge, or the member that the gate kept, in the engine. */
export async function mergedStage(
  merging: NonNullable<Stage["merging"]>,
  { engine, spending, limit, seed, ...run }: MergingRun,
  from: MergePlace | null,
): Promise<void> {
  const ofMembers =
    from === null ? spending.upTo(limit, 1 - (merging.gate?.share ?? 0)) : from.ofMembers;
  let stepsDone = from?.stepsDone ?? 0;
  let resumed = from;
  await mergeMembers(
    engine,
    merging,
    {
      learn: async (member, progress) => {
        const left = merging.members.length - progress.deltas.length;
        if (resumed === null) await run.begin(spending.upTo(ofMembers, 1 / left));
        const first = resumed?.stage ?? 0;
        for (let stage = first; stage < member.length; stage += 1) {
          const at = stage === first ? resumed?.place : undefined;
          resumed = null;
          await run.stage(member[stage] as Stage, at, async (inStage, latest, inner) => {
            stepsDone += 1;
            const place = { stepsDone: inStage, latest, inner };
            const of = { kind: "merge", progress, ofMembers, stepsDone, stage, place } as const;
            await run.after(stepsDone, of);
          });
        }
      },
      evaluate: async ({ tasks }) => {
        const rollouts = await run.rollout(tasks);
        spending.count(
          rollouts.map(({ record: trajectory, verification }) => ({
            task: trajectory.id,
            trajectories: [toJudgedTrajectory(trajectory, verification)],
          })),
        );
        return meanOrZero(rollouts.map(({ verification }) => Number(verification.success)));
      },
      random: seededRandom(seed, 0x3e),
    },
    from?.progress,
  );
}
