/**
 * Test-time training: the engine trains on some held-out tasks, they are rolled out, and the engine is
 * restored. Nothing learned on one task affects another.
 */
import type { EnvironmentRollout } from "@waggle/agent/environments";
import type { EnvironmentSpec } from "@waggle/environments";
import type { Stage } from "@waggle/learning";
import type { TaskReference, TrainEngine } from "@waggle/protocol";
import { type HeldOut, heldOutOf, heldOutTask } from "../evaluation/held-out.ts";
import type { RolloutBatch } from "../source/local-rollouts.ts";
import type { TestTimePlace, TestTimeProgress, TestTimeStart } from "./stage-place.ts";
import { train, unchecked } from "../training/train.ts";

/** Training and rollout of tasks at test time. */
export type TestTimeSteps<T, Batch, R> = {
  /** Steps on each group of tasks. */
  readonly steps: number;
  /** Called before the first step on a group. */
  readonly begin?: () => void;
  /** Rolls out these tasks for a step. */
  readonly collect: (tasks: readonly T[], step: number) => Promise<Batch>;
  /**
   * Takes a step on the batch.
   * @returns false if nothing was learned.
   */
  readonly learn: (batch: Batch) => Promise<boolean>;
  /** `[tasks]` rollouts with the trained parameters. */
  readonly rollout: (tasks: readonly T[]) => Promise<readonly R[]>;
};

/** Whether a stage trains at test time per task or per level; `null` if it does not. */
export function testTimeOf({ schedule }: Stage): "task" | "level" | null {
  return schedule.find(({ testTime }) => testTime !== undefined)?.testTime ?? null;
}

/**
 * @param keyOf - tasks with the same key are trained on together.
 * @param from - progress of an earlier process, whose engine is loaded; `null` = none.
 * @param after - called after each step.
 * @returns `[tasks]` results in the order of the tasks.
 */
export async function atTestTime<T, Batch, R>(
  engine: TrainEngine,
  tasks: readonly T[],
  keyOf: (task: T) => string | number,
  { steps, begin, collect, learn, rollout }: TestTimeSteps<T, Batch, R>,
  from: TestTimeProgress<R> | null = null,
  after: (progress: TestTimeProgress<R>) => Promise<void> = async () => {},
): Promise<readonly R[]> {
  const byKey = new Map<string | number, number[]>();
  for (const [at, task] of tasks.entries()) {
    const key = keyOf(task);
    byKey.set(key, [...(byKey.get(key) ?? []), at]);
  }
  const groups = [...byKey.values()];
  const start = from?.start ?? (await engine.save());
  const results = new Map(from?.results);
  const first = from?.groupsDone ?? 0;
  for (let groupsDone = first; groupsDone < groups.length; groupsDone += 1) {
    const places = groups[groupsDone] as number[];
    const own = places.map((at) => tasks[at] as T);
    let { stepsDone, learned } =
      from !== null && groupsDone === first ? from : { stepsDone: 0, learned: false };
    if (stepsDone === 0) begin?.();
    await train(
      {
        source: { next: () => collect(own, stepsDone) },
        check: unchecked<Batch>(),
        update: learn,
        sink: {
          keep: async (hasLearned) => {
            learned ||= hasLearned;
            stepsDone += 1;
            await after({ start, groupsDone, stepsDone, learned, results: new Map(results) });
          },
        },
      },
      { stop: () => (stepsDone >= steps ? "done" : null) },
    );
    try {
      for (const [i, result] of (await rollout(own)).entries()) {
        results.set(places[i] as number, result);
      }
    } finally {
      if (learned) await engine.load(start);
    }
  }
  return tasks.map((_, at) => results.get(at) as R);
}

/** The run's part of test-time training. */
export type TestTimeRun = {
  readonly begin: () => Promise<TestTimeStart>;
  /** Restores the state and the policy version. */
  readonly restore: (start: TestTimeStart) => void;
  /** Rolls out these tasks for a step. */
  readonly collect: (tasks: readonly TaskReference[], step: number) => Promise<RolloutBatch>;
  /**
   * Takes a step on the batch.
   * @returns false if nothing was learned.
   */
  readonly learn: (batch: RolloutBatch) => Promise<boolean>;
  /** `[places]` rollouts of the held-out tasks with these indices. */
  readonly rollout: (places: readonly number[]) => Promise<readonly EnvironmentRollout[]>;
  /** Called after each step with the number of steps on all groups. */
  readonly after: (stepsDone: number, place: TestTimePlace) => Promise<void>;
};

/** Runs a stage at test time on the held-out tasks. */
export async function testTimeStage(
  stage: Stage,
  options: {
    readonly engine: TrainEngine;
    readonly spec: EnvironmentSpec;
    readonly evaluationTasks: number;
    readonly evaluationSeed?: number | undefined;
  },
  run: TestTimeRun,
  steps: number,
  from: TestTimePlace | null,
): Promise<HeldOut> {
  const { engine, spec, evaluationTasks, evaluationSeed } = options;
  const each = testTimeOf(stage);
  const places = Array.from({ length: evaluationTasks }, (_, i) => i);
  const start = from?.start ?? (await run.begin());
  const rollouts = await atTestTime(
    engine,
    places,
    (i) => (each === "task" ? i : i % spec.levels),
    {
      steps,
      begin: () => run.restore(start),
      collect: (own, step) =>
        run.collect(
          own.map((i) => heldOutTask(spec, i, evaluationSeed)),
          step,
        ),
      learn: run.learn,
      rollout: run.rollout,
    },
    from?.progress,
    (progress) => {
      const { groupsDone, stepsDone } = progress;
      return run.after(groupsDone * steps + stepsDone, { kind: "test-time", start, progress });
    },
  );
  run.restore(start);
  return heldOutOf(rollouts);
}
