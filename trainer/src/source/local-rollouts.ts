/**
 * Rollouts of this process as a source: tasks are rolled out until enough groups of a step say something.
 * How a task is rolled out is the caller's.
 */
import type { JudgedGroup, PartContext, StepSettings } from "@waggle/learning";
import type { Check, Source } from "../loop/train.ts";
import { hasSignal } from "../update/trajectory-metrics.ts";

/** Times that the tasks of a step are rolled out again where filters left too few groups. */
const REFILLS = 2;

/** A step as it begins. */
export type BegunStep = { readonly context: PartContext; readonly settings: StepSettings };

export type RolloutBatch = BegunStep & { readonly groups: readonly JudgedGroup[] };

export type LocalRollouts = {
  /** Called once a step, before its first rollout. */
  readonly begin: () => Promise<BegunStep>;
  /** Rolls out so many tasks; no groups = there is nothing to roll out. */
  readonly rollOut: (step: BegunStep, tasks: number) => Promise<readonly JudgedGroup[]>;
};

export function localRollouts({ begin, rollOut }: LocalRollouts): {
  readonly source: Source<readonly JudgedGroup[]>;
  readonly check: Check<readonly JudgedGroup[], RolloutBatch>;
  /** Whether a step has begun: it is not left in its middle. */
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
        // Only groups of several can turn out to say nothing.
        informative += more.filter(({ trajectories }) => hasSignal(trajectories)).length;
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
