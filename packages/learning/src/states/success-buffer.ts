/**
 * `good-buffer`: the newest verified successes by task. They enter groups in which every rollout failed, and
 * are used for self-imitation.
 *
 * Source: ARPO (GUI): a stored success joins a group without one, arXiv:2505.16282; SPEAR, DART.
 */
import type { RewardedTrajectory } from "../composition/part.ts";
import { kept, type StatePart } from "../composition/state.ts";
import { requireInside } from "../statistics.ts";

export type StoredSuccess<T> = {
  readonly item: T;
  readonly reward: number;
  /** Learning step of the success. */
  readonly step: number;
};

export type SuccessBuffer<T> = {
  readonly perTask: number;
  /** Number of steps after which a success expires. */
  readonly mostAge: number;
  readonly tasks: { readonly [task: string]: readonly StoredSuccess<T>[] };
};

export function successBuffer<T>(
  options: { readonly perTask?: number; readonly mostAge?: number } = {},
): SuccessBuffer<T> {
  return { perTask: options.perTask ?? 4, mostAge: options.mostAge ?? 50, tasks: {} };
}

/** Adds a success; drops the oldest of its task beyond the limit. */
export function storeSuccess<T>(
  buffer: SuccessBuffer<T>,
  task: string,
  success: StoredSuccess<T>,
): SuccessBuffer<T> {
  const stored = [...storedSuccesses(buffer, task, success.step), success].slice(-buffer.perTask);
  return { ...buffer, tasks: { ...buffer.tasks, [task]: stored } };
}

/** A task's unexpired successes, oldest first. */
export function storedSuccesses<T>(
  { tasks, mostAge }: SuccessBuffer<T>,
  task: string,
  step: number,
): readonly StoredSuccess<T>[] {
  const all = Object.hasOwn(tasks, task) ? (tasks[task] as readonly StoredSuccess<T>[]) : [];
  return all.filter((success) => step - success.step <= mostAge);
}

/**
 * Replaces the group's last failure by a stored success, if the group has no success and one is stored;
 * otherwise returns the group unchanged.
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
