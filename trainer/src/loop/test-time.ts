/**
 * Test-time training: the engine trains on some held-out tasks, they are rolled out, and the engine is
 * restored. Nothing learned on one task affects another.
 */
import type { EnvironmentSpec } from "@waggle/environments";
import type { Stage } from "@waggle/learning";
import type { TaskReference, TrainEngine } from "@waggle/protocol";
import type { EnvironmentRollout } from "../rollouts/environment-rollout.ts";
import { type HeldOut, heldOutOf, heldOutTask } from "../evaluation/held-out.ts";

/** Training and rollout of tasks at test time. */
export type TestTimeSteps<T, R> = {
  /**
   * Trains on these tasks.
   * @returns false if nothing was learned.
   */
  readonly learn: (tasks: readonly T[]) => Promise<boolean>;
  /** `[tasks]` rollouts with the trained parameters. */
  readonly rollout: (tasks: readonly T[]) => Promise<readonly R[]>;
};

/** Whether a stage trains at test time per task or per level; `null` if it does not. */
export function testTimeOf({ schedule }: Stage): "task" | "level" | null {
  return schedule.find(({ testTime }) => testTime !== undefined)?.testTime ?? null;
}

/**
 * @param keyOf - tasks with the same key are trained on together.
 * @returns `[tasks]` results in the order of the tasks.
 */
export async function atTestTime<T, R>(
  engine: TrainEngine,
  tasks: readonly T[],
  keyOf: (task: T) => string | number,
  { learn, rollout }: TestTimeSteps<T, R>,
): Promise<readonly R[]> {
  const groups = new Map<string | number, number[]>();
  for (const [at, task] of tasks.entries()) {
    const key = keyOf(task);
    groups.set(key, [...(groups.get(key) ?? []), at]);
  }
  const start = await engine.save();
  const results: R[] = [];
  for (const places of groups.values()) {
    const own = places.map((at) => tasks[at] as T);
    const learned = await learn(own);
    try {
      for (const [i, result] of (await rollout(own)).entries()) {
        results[places[i] as number] = result;
      }
    } finally {
      if (learned) await engine.load(start);
    }
  }
  return results;
}

/** The run's part of test-time training. */
export type TestTimeRun = {
  /** Restores the state and the policy version. */
  readonly restore: () => void;
  /**
   * Takes one step on these tasks.
   * @returns false if nothing was learned.
   */
  readonly step: (tasks: readonly TaskReference[], step: number) => Promise<boolean>;
  /** `[places]` rollouts of the held-out tasks with these indices. */
  readonly rollout: (places: readonly number[]) => Promise<readonly EnvironmentRollout[]>;
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
): Promise<HeldOut> {
  const { engine, spec, evaluationTasks, evaluationSeed } = options;
  const each = testTimeOf(stage);
  const places = Array.from({ length: evaluationTasks }, (_, i) => i);
  const attempts = await atTestTime(
    engine,
    places,
    (i) => (each === "task" ? i : i % spec.levels),
    {
      learn: async (own) => {
        run.restore();
        const tasks = own.map((i) => heldOutTask(spec, i, evaluationSeed));
        let learned = false;
        for (let step = 0; step < steps; step += 1) {
          learned = (await run.step(tasks, step)) || learned;
        }
        return learned;
      },
      rollout: run.rollout,
    },
  );
  run.restore();
  return heldOutOf(attempts);
}
