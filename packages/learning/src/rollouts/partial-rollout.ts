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
import type { JudgedGroup } from "../composition/judged-trajectory.ts";
import type { RolloutPart } from "../composition/part.ts";
import { group } from "./plain-rollouts.ts";

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
      `a piece must begin where the last ended (${last?.end ?? 0}), got [${next.start}, ${next.end}); continue from the stored state`,
    );
  }
  if (last === undefined) return [next];
  if (next.version < last.version) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `a rollout must go on under the same or a newer version than ${last.version}, got ${next.version}; load the newest policy`,
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
    plan: ({ state }) => ({
      kind: "partial",
      size,
      turns,
      most,
      unfinished: state["rest-buffer"] as readonly JudgedGroup[],
    }),
  }));
}
