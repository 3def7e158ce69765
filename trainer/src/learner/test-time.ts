/**
 * Learning at test time: for some held-out tasks the engine learns, they are attempted, and it is as it was
 * before. Nothing that one of them taught is there for another.
 */
import type { TaskReference, TrainEngine } from "@waggle/protocol";

export type TestTimeSteps<R> = {
  /** Learns for these tasks. @returns false where nothing was learned. */
  readonly learn: (tasks: readonly TaskReference[]) => Promise<boolean>;
  /** Attempts them with what was learned. `[tasks]` */
  readonly attempt: (tasks: readonly TaskReference[]) => Promise<readonly R[]>;
};

/**
 * @param keyOf - tasks with one key are learned for together.
 * @returns `[tasks]` in their order.
 */
export async function atTestTime<R>(
  engine: TrainEngine,
  tasks: readonly TaskReference[],
  keyOf: (task: TaskReference, at: number) => string | number,
  { learn, attempt }: TestTimeSteps<R>,
): Promise<readonly R[]> {
  const groups = new Map<string | number, number[]>();
  for (const [at, task] of tasks.entries()) {
    const key = keyOf(task, at);
    groups.set(key, [...(groups.get(key) ?? []), at]);
  }
  const start = await engine.save();
  const results: R[] = [];
  for (const places of groups.values()) {
    const own = places.map((at) => tasks[at] as TaskReference);
    const learned = await learn(own);
    try {
      for (const [i, result] of (await attempt(own)).entries()) {
        results[places[i] as number] = result;
      }
    } finally {
      if (learned) await engine.load(start);
    }
  }
  return results;
}
