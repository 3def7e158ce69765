/**
 * `task-stats`: a Beta posterior of each task's pass rate. Old evidence decays, because the policy changes. A
 * plain JSON value.
 *
 * Source: Beta–Bernoulli, textbook; fading as discounted Thompson sampling, Raj and Kalyani 2017.
 */
import { option, definePart } from "../composition/part-options.ts";
import { kept, type StatePart } from "../composition/state.ts";
import { requireInside } from "../statistics.ts";

type TaskCounts = {
  /** Decayed sums of rewards in [0, 1] and of rollouts. */
  readonly wins: number;
  readonly attempts: number;
  /** Learning step of the last rollout. */
  readonly lastStep: number;
};

export type TaskStatistics = {
  /** Decay of the evidence per learning step, in (0, 1]. */
  readonly retention: number;
  /** Prior successes and rollouts. */
  readonly prior: { readonly wins: number; readonly attempts: number };
  readonly tasks: { readonly [task: string]: TaskCounts };
};

export function taskStatistics(
  options: Partial<Pick<TaskStatistics, "retention" | "prior">> = {},
): TaskStatistics {
  return {
    retention: options.retention ?? 0.98,
    prior: options.prior ?? { wins: 1, attempts: 2 },
    tasks: {},
  };
}

/** Records a task's group with `[G]` rewards in [0, 1] at this learning step. */
export function observeTask(
  statistics: TaskStatistics,
  task: string,
  rewards: readonly number[],
  step: number,
): TaskStatistics {
  for (const reward of rewards) requireInside("reward", reward, 0, 1);
  const { wins, attempts } = evidenceOf(statistics, task, step);
  const counts = {
    wins: wins + rewards.reduce((sum, reward) => sum + reward, 0),
    attempts: attempts + rewards.length,
    lastStep: step,
  };
  return { ...statistics, tasks: { ...statistics.tasks, [task]: counts } };
}

export type PassRate = {
  readonly mean: number;
  readonly variance: number;
  /** Decayed number of rollouts. */
  readonly attempts: number;
};

/** Posterior pass rate of a task at this step. */
export function passRateOf(statistics: TaskStatistics, task: string, step: number): PassRate {
  const { wins, attempts } = evidenceOf(statistics, task, step);
  const a = wins + statistics.prior.wins;
  const n = attempts + statistics.prior.attempts;
  return { mean: a / n, variance: (a * (n - a)) / (n * n * (n + 1)), attempts };
}

function evidenceOf(
  { tasks, retention }: TaskStatistics,
  task: string,
  step: number,
): { readonly wins: number; readonly attempts: number } {
  const counts = Object.hasOwn(tasks, task) ? tasks[task] : undefined;
  if (counts === undefined) return { wins: 0, attempts: 0 };
  const kept = retention ** Math.max(0, step - counts.lastStep);
  return { wins: counts.wins * kept, attempts: counts.attempts * kept };
}

/** State: pass rates by task. */
export function taskStats(
  options: Parameters<typeof taskStatistics>[0] = {},
): StatePart<"task-stats"> {
  return definePart({ retention: option(options.retention, 0.98) }, (given) =>
    kept("task-stats", () => taskStatistics({ ...options, ...given })),
  );
}
