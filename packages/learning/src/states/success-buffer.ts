/**
 * `good-buffer`: stored successes by task, the newest so many. They enter groups that failed whole, and
 * teach by self-imitation. Not trust: what is stored was verified before.
 *
 * Source: ARPO (GUI): a stored success joins a group without one, arXiv:2505.16282; SPEAR, DART.
 */
import type { RewardedTrajectory } from "../composition/part.ts";
import { kept, type StatePart } from "../composition/state.ts";
import { requireInside } from "../statistics.ts";

export type StoredSuccess<T> = {
  readonly item: T;
  readonly reward: number;
  /** Learning step at which it was won. */
  readonly step: number;
};

export type SuccessBuffer<T> = {
  readonly perTask: number;
  /** Steps after which a success is forgotten. */
  readonly mostAge: number;
  readonly tasks: { readonly [task: string]: readonly StoredSuccess<T>[] };
};

export function successBuffer<T>(
  options: { readonly perTask?: number; readonly mostAge?: number } = {},
): SuccessBuffer<T> {
  return { perTask: options.perTask ?? 4, mostAge: options.mostAge ?? 50, tasks: {} };
}

/** The buffer with one more success; the oldest of its task leaves where there are too many. */
export function storeSuccess<T>(
  buffer: SuccessBuffer<T>,
  task: string,
  success: StoredSuccess<T>,
): SuccessBuffer<T> {
  const stored = [...storedSuccesses(buffer, task, success.step), success].slice(-buffer.perTask);
  return { ...buffer, tasks: { ...buffer.tasks, [task]: stored } };
}

/** A task's successes that are not too old, oldest first. */
export function storedSuccesses<T>(
  { tasks, mostAge }: SuccessBuffer<T>,
  task: string,
  step: number,
): readonly StoredSuccess<T>[] {
  const all = Object.hasOwn(tasks, task) ? (tasks[task] as readonly StoredSuccess<T>[]) : [];
  return all.filter((success) => step - success.step <= mostAge);
}

/**
 * The group with its last failure replaced by a stored success, where it has no success of its own and
 * one is stored; else the group as it is.
 *
 * @param rewards - `[G]` of the group's items.
 * @param successFrom - least reward of a success. Default 1.
 */
export function withStoredSuccess<T>(
  buffer: SuccessBuffer<T>,
  task: string,
  group: readonly T[],
  rewards: readonly number[],
  step: number,
  random: () => number,
  successFrom: number = 1,
): {
  readonly items: readonly T[];
  readonly rewards: readonly number[];
  readonly injected: boolean;
} {
  requireInside("group size", group.length, 1, Number.MAX_SAFE_INTEGER);
  const stored = storedSuccesses(buffer, task, step);
  if (stored.length === 0 || rewards.some((reward) => reward >= successFrom)) {
    return { items: group, rewards, injected: false };
  }
  const chosen = stored[Math.floor(random() * stored.length)] as StoredSuccess<T>;
  return {
    items: [...group.slice(0, -1), chosen.item],
    rewards: [...rewards.slice(0, -1), chosen.reward],
    injected: true,
  };
}

/** Stored successes by task. */
export function goodBuffer(
  options: Parameters<typeof successBuffer>[0] = {},
): StatePart<"good-buffer"> {
  return kept("good-buffer", () => successBuffer<RewardedTrajectory>(options));
}
