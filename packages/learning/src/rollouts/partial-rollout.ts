/**
 * `partial`: a rollout that is interrupted at a budget of tokens or turns, stored with its state, and
 * continued with a newer policy. Each piece keeps its policy version and behavior log-probs.
 *
 * Source: AgentMath, verl and AReaL (partial rollouts across versions).
 */
import { option, definePart } from "../composition/part-options.ts";
import {
  type SampledSegment,
  type Trajectory,
  type VersionSpan,
  WaggleError,
} from "@waggle/protocol";
import type { JudgedGroup, JudgedTrajectory } from "../composition/judged-trajectory.ts";
import type { RolloutPart } from "../composition/part.ts";
import type { RolloutStrategy } from "../composition/rollout-strategy.ts";
import { taskOf } from "../composition/task-names.ts";
import { isUnfinished } from "../filters/unfinished.ts";
import { group } from "./plain-rollouts.ts";
import { many } from "./rollout-part.ts";

/**
 * Appends a piece, and joins it with the last one if the version is the same.
 *
 * @throws WaggleError `INVALID_ARGUMENT` if tokens would be missing or sampled twice, or the version
 *   decreased.
 */
export function continuedBy(pieces: readonly VersionSpan[], next: VersionSpan): VersionSpan[] {
  const last = pieces.at(-1);
  if (next.end < next.start || next.start !== (last?.end ?? 0)) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `this piece is [${next.start}, ${next.end}), but the one before it ends at ${last?.end ?? 0}; continue from the stored state`,
    );
  }
  if (last === undefined) return [next];
  if (next.version < last.version) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `cannot continue a rollout of version ${last.version} with older version ${next.version}; load the newest policy`,
    );
  }
  if (next.version === last.version) return [...pieces.slice(0, -1), { ...last, end: next.end }];
  return [...pieces, next];
}

/** The policy version of each token range of a segment. */
export function versionSpans({
  tokenIds,
  policyVersion: version,
  versions,
}: SampledSegment): readonly VersionSpan[] {
  return versions ?? [{ version, start: 0, end: tokenIds.length }];
}

/** `[sampled tokens]` the policy version of each sampled token, in the order of the segments. */
export function tokenVersions({ segments }: Trajectory): number[] {
  return segments.flatMap((segment) => {
    if (segment.kind !== "sampled") return [];
    return versionSpans(segment).flatMap((span) =>
      Array.from({ length: span.end - span.start }, () => span.version),
    );
  });
}

type PartialOptions = {
  /** Trajectories of each task. */
  readonly size: number;
  /** Maximum number of turns in this step. */
  readonly turns: number;
  /** Maximum number of turns of a whole trajectory. */
  readonly most: number;
  /** Groups with trajectories that were cut before. */
  readonly unfinished: readonly JudgedGroup[];
};

/**
 * Groups with cut rollouts continue first; new groups fill the rest of the step.
 *
 * Source: partial rollouts, Kimi Team 2025, "Kimi k1.5", arXiv:2501.12599.
 */
function partialStrategy(options: PartialOptions): RolloutStrategy {
  const { size, turns, most, unfinished } = options;
  return {
    name: "partial",
    options,
    rollOut: async (driver) => {
      const continued = await driver.inLanes(unfinished.length, async (at) => {
        const { task, trajectories } = unfinished[at] as JudgedGroup;
        const more = await many(trajectories.length, async (i) => {
          const trajectory = trajectories[i] as JudgedTrajectory;
          const { record } = trajectory;
          if (!isUnfinished(record, most)) return trajectory;
          const done = record.turns.length;
          return driver.rollOut(taskOf(trajectory), [at, i, done], {
            maxTurns: Math.min(most, done + turns),
            from: { trajectory: record, turns: done },
          });
        });
        return { task, trajectories: more };
      });
      const left = driver.tasks.slice(0, Math.max(0, driver.tasks.length - unfinished.length));
      const begun = await driver.byTask(
        (task, at) => many(size, (i) => driver.rollOut(task, [at, i], { maxTurns: turns })),
        left,
      );
      return [...continued, ...begun];
    },
  };
}

/** `size` trajectories from the same start, with at most `turns` turns per step and `most` in total. */
export function partialRollouts(
  turns: number,
  most: number,
  size?: number,
): RolloutPart<"rest-buffer", "group"> {
  return definePart({ groupSize: option(size, 8) }, ({ groupSize: size }) => ({
    slot: "rollout",
    part: "partial",
    needs: ["rest-buffer"],
    start: "group",
    around: [group(size)],
    strategy: ({ state }) =>
      partialStrategy({
        size,
        turns,
        most,
        unfinished: state["rest-buffer"] as readonly JudgedGroup[],
      }),
  }));
}
