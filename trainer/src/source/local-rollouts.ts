/**
 * A source of rollouts from this process: rolls out tasks until a step has enough groups with a signal.
 * The caller rolls out each task.
 */
import { hasSignal } from "@waggle/learning";
import type { JudgedGroup, PartContext, StepSettings } from "@waggle/learning";
import type { Check, Source } from "../training/train.ts";

/** How often a step rolls out more tasks if too few groups have a signal. */
const REFILLS = 2;

/** The context and settings of a step, fixed before its first rollout. */
export type BegunStep = { readonly context: PartContext; readonly settings: StepSettings };

/** The groups of one step, with the context in which they were rolled out. */
export type RolloutBatch = BegunStep & { readonly groups: readonly JudgedGroup[] };

export type LocalRollouts = {
  /** Called once per step, before its first rollout. */
  readonly begin: () => Promise<BegunStep>;
  /** Rolls out that many tasks; an empty result means there are none left. */
  readonly rollOut: (step: BegunStep, tasks: number) => Promise<readonly JudgedGroup[]>;
};

/** The source of rollouts and the check that collects them into a step's batch. */
export function localRollouts({ begin, rollOut }: LocalRollouts): {
  readonly source: Source<readonly JudgedGroup[]>;
  readonly check: Check<readonly JudgedGroup[], RolloutBatch>;
  /** Whether a step has begun; a run does not end in the middle of one. */
  readonly hasBegun: () => boolean;
} {
  let step: BegunStep | null = null;
  let groups: JudgedGroup[] = [];
  let informative = 0;
  let rounds = 0;
  let isExhausted = false;
  const missing = (): number => (step?.settings.tasksPerStep ?? 1) - informative;
  return {
    source: {
      next: async () => {
        step ??= await begin();
        rounds += 1;
        return rollOut(step, missing());
      },
    },
    check: {
      admit: async (more) => {
        isExhausted = more.length === 0;
        groups.push(...more);
        // Groups without a signal do not count; a group of one always has one.
        informative += more.filter(({ trajectories }) =>
          hasSignal(trajectories.map(({ verification }) => verification.reward)),
        ).length;
      },
      isDue: async () => step !== null && (isExhausted || missing() <= 0 || rounds > REFILLS),
      batch: async () => {
        const batch = step === null ? null : { ...step, groups };
        step = null;
        groups = [];
        informative = 0;
        rounds = 0;
        isExhausted = false;
        return batch;
      },
      wanted: missing,
    },
    hasBegun: () => step !== null,
  };
}
