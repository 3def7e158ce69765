/** A rollout part with a fixed strategy, and rollouts of a group at the same time. */
import { WaggleError } from "@waggle/protocol";
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import type { RolloutPart } from "../composition/part.ts";
import type { RolloutStrategy } from "../composition/rollout-strategy.ts";

/** @throws WaggleError `INVALID_ARGUMENT` if the option `size` is not a whole number of at least 1. */
export function rolloutPart<S extends "group" | "single">(
  part: string,
  start: S,
  strategy: RolloutStrategy,
): RolloutPart<never, S> {
  const { size } = strategy.options ?? {};
  if (typeof size === "number" && !(Number.isInteger(size) && size >= 1)) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `rollouts of ${part} per task must be a whole number of at least 1, got ${size}`,
    );
  }
  return { slot: "rollout", part, needs: [], start, strategy: () => strategy };
}

/** Calls `run` `count` times concurrently. Rejects with the first error once none is running. */
export async function many(
  count: number,
  run: (i: number) => Promise<JudgedTrajectory>,
): Promise<JudgedTrajectory[]> {
  const ended = await Promise.allSettled(Array.from({ length: count }, (_, i) => run(i)));
  return ended.map((each) => {
    if (each.status === "rejected") throw each.reason;
    return each.value;
  });
}
