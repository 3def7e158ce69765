/**
 * Learning at test time: for some held-out tasks the engine learns, they are rolled out, and it is as it was
 * before. Nothing that one of them taught is there for another.
 */
import type { EnvironmentSpec } from "@waggle/environments";
import type { Stage } from "@waggle/learning";
import type { TaskReference, TrainEngine } from "@waggle/protocol";
import type { EnvironmentRollout } from "../rollouts/environment-rollout.ts";
import { type HeldOut, heldOutOf, heldOutTask } from "../evaluation/held-out.ts";

export type TestTimeSteps<T, R> = {
  /** Learns for these tasks. @returns false where nothing was learned. */
  readonly learn: (tasks: readonly T[]) => Promise<boolean>;
  /** Rollouts them with what was learned. `[tasks]` */
  readonly rollout: (tasks: readonly T[]) => Promise<readonly R[]>;
};

/** What a stage is gone through for at test time; `null` for one that is not. */
export function testTimeOf({ schedule }: Stage): "task" | "level" | null {
  return schedule.find(({ testTime }) => testTime !== undefined)?.testTime ?? null;
}

/**
 * @param keyOf - tasks with one key are learned for together.
 * @returns `[tasks]` in their order.
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

/** What a run does of it. */
export type TestTimeRun = {
  /** Forgets what was learned of state and of versions. */
  readonly restore: () => void;
  /** One step for these tasks. @returns false where nothing was learned. */
  readonly step: (tasks: readonly TaskReference[], step: number) => Promise<boolean>;
  /** `[places]` rollouts at the held-out tasks of these places. */
  readonly rollout: (places: readonly number[]) => Promise<readonly EnvironmentRollout[]>;
};

/** Goes through a stage for held-out tasks. */
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
