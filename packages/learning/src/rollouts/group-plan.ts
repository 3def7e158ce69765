/**
 * `group` and `single`: how many attempts each task gets, each with a seed of its own that depends on
 * the plan's seed alone. Who runs them, in which order, is no matter.
 */
import { requireInside } from "../statistics.ts";

export type PlannedRollout = {
  readonly task: string;
  /** Equal for rollouts that are judged against each other. */
  readonly group: string;
  readonly member: number;
  /** Unsigned 32-bit integer. */
  readonly seed: number;
};

/** `size` rollouts of each task; 1 plans singles. */
export function plannedGroups(
  tasks: readonly string[],
  size: number,
  seed: number,
): PlannedRollout[] {
  requireInside("size", size, 1, Number.MAX_SAFE_INTEGER);
  return tasks.flatMap((task, at) =>
    Array.from({ length: size }, (_, member) => ({
      task,
      group: `${task}#${at}`,
      member,
      seed: mixedSeed(seed, at * size + member),
    })),
  );
}

/** A 32-bit seed from a seed and an index; neighbours share no bits to speak of. */
export function mixedSeed(seed: number, index: number): number {
  let mixed = (seed ^ Math.imul(index + 1, 0x9e3779b1)) >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
