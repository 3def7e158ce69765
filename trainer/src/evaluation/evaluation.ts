/**
 * Evaluation: rolls out a fixed list of tasks, each with its own sampling seed, and judges them. The
 * promotion gate, held-out tasks of local runs and the evaluation of the nano model are configurations of it;
 * they differ in their tasks and in how one task is rolled out.
 */
import { FULL_SUPPORT, type Sampling, type TaskReference } from "@waggle/protocol";
import { inLanes } from "../rollouts/lanes.ts";

/** One task of an evaluation. */
export type EvaluationTask = {
  /** The task's index in the whole set of tasks. */
  readonly place: number;
  readonly task: TaskReference;
  /** Seed of the rollout's random draws. */
  readonly seed: number;
};

/** The tasks and how one of them is rolled out. */
type Evaluation<R> = {
  readonly tasks: readonly EvaluationTask[];
  readonly rollOut: (task: EvaluationTask, sampling: Omit<Sampling, "seed">) => Promise<R>;
  /** Default: the full distribution. */
  readonly sampling?: Omit<Sampling, "seed"> | undefined;
  /**
   * Whether rollouts share the policy's batches. That is faster, and it changes the last bits of
   * log-probs, which in rare cases changes the outcome of a task. Default true.
   */
  readonly isBatched?: boolean;
  readonly signal: AbortSignal;
};

/** `[tasks]` rollouts. */
export async function rollOutTasks<R>({
  tasks,
  rollOut,
  sampling = FULL_SUPPORT,
  isBatched = true,
  signal,
}: Evaluation<R>): Promise<R[]> {
  const roll = async (task: EvaluationTask): Promise<R> => {
    signal.throwIfAborted();
    return rollOut(task, sampling);
  };
  if (isBatched) return inLanes(tasks.length, (i) => roll(tasks[i] as EvaluationTask));
  const rollouts: R[] = [];
  for (const task of tasks) rollouts.push(await roll(task));
  return rollouts;
}

/** `[tasks]` whether each rollout solved its task. */
export function successesOf(
  rollouts: readonly { readonly verification: { readonly success: boolean } }[],
): boolean[] {
  return rollouts.map(({ verification }) => verification.success);
}
