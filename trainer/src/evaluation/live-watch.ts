/**
 * Watches the deployed version on visitors' tasks: success and readable turns, by group. Rewards are
 * the trainer's own, and only trajectories that passed the checks count. Those of senders in quarantine and
 * claimed failures of page tools do not, so that no visitor can make a version look bad. The success of requests that the
 * site's staff answered does not count either: staff choose what they answer, and may begin after a promotion.
 *
 * A version promoted by this trainer is compared with the previous stable version. A version
 * promoted by an operator is not: the operator may have reasons that no reward measures.
 */
import { fallTest } from "@waggle/evaluation";
import type { LeasedGroup, PolicyVersionId, TrajectoryOutcome } from "@waggle/protocol";
import { z } from "zod";
import { PAGE_TOOL_FAILED, QUARANTINED } from "./skipped-outcome.ts";

/**
 * Rollouts of one group that one version sampled. A group is one task, so groups are independent.
 */
type WatchedGroup = {
  readonly group: string;
  /** Share of rollouts that succeeded; `null` if it says nothing about the version. */
  readonly success: number | null;
  /** Share of readable turns. */
  readonly readable: number;
};

/** Stored in the trainer's state, so that a restart loses nothing. */
export type LiveWatch = {
  readonly stable: PolicyVersionId;
  /** The version that `stable` is compared with; `null` = none. */
  readonly before: PolicyVersionId | null;
  /** The trainer's count of promotions when `stable` became stable. */
  readonly promotions: number;
  /** By version: its first groups in order of arrival. */
  readonly groups: { readonly [version: string]: readonly WatchedGroup[] };
};

const rate = z.number().min(0).max(1);
export const LiveWatch: z.ZodType<LiveWatch> = z.strictObject({
  stable: z.int().min(0),
  before: z.int().min(0).nullable(),
  promotions: z.int().min(0),
  groups: z.record(
    z.string(),
    z.array(z.strictObject({ group: z.string(), success: rate.nullable(), readable: rate })),
  ),
});

/** Tolerances of the live watch. */
export type LiveLimits = {
  /** Fall of live success that is tolerated. */
  readonly success: number;
  /** Fall of the share of readable turns that is tolerated. */
  readonly readable: number;
  /** Bound on the probability that a version without a fall raises a false alarm. */
  readonly falseAlarm: number;
};

/** Most groups compared per version; later ones are ignored. */
const MOST_GROUPS = 256;

/** Reasons of outcomes that say nothing about a version. */
const UNWATCHED: ReadonlySet<string | undefined> = new Set([QUARANTINED, PAGE_TOOL_FAILED]);

type Stable = { readonly stableVersion: PolicyVersionId; readonly promotions: number };

/** The watch, switched to the current stable version. */
export function followStable(
  watch: LiveWatch | undefined,
  { stableVersion, promotions }: Stable,
): LiveWatch {
  if (watch === undefined) {
    return { stable: stableVersion, before: null, promotions, groups: {} };
  }
  if (watch.stable === stableVersion) return watch;
  const isOwn = promotions > watch.promotions;
  const before = isOwn ? watch.stable : null;
  const kept = Object.entries(watch.groups).filter(
    ([version]) => Number(version) === before || Number(version) >= stableVersion,
  );
  return { stable: stableVersion, before, promotions, groups: Object.fromEntries(kept) };
}

/** Adds the results of a lease. A group counts once per version. */
export function watchLease(
  watch: LiveWatch,
  groups: readonly LeasedGroup[],
  outcomes: readonly TrajectoryOutcome[],
): LiveWatch {
  const byDigest = new Map(outcomes.map((outcome) => [outcome.digest, outcome]));
  let seen = watch.groups;
  for (const { groupId, trajectories } of groups) {
    const checked = trajectories.flatMap(({ digest, trajectory, staffAnswer }) => {
      const outcome = byDigest.get(digest);
      if (outcome?.success === undefined || outcome.status === "rejected") return [];
      if (UNWATCHED.has(outcome.reason)) return [];
      return [{ trajectory, success: staffAnswer === undefined ? outcome.success : null }];
    });
    for (const [version, rollouts] of Map.groupBy(
      checked,
      ({ trajectory }) => trajectory.policyVersion,
    )) {
      const known = seen[version] ?? [];
      const isWatched = version === watch.before || version >= watch.stable;
      if (!isWatched || known.length >= MOST_GROUPS) continue;
      if (known.some(({ group }) => group === groupId)) continue;
      const judged = rollouts.filter(({ success }) => success !== null);
      const turns = rollouts.flatMap(({ trajectory }) => trajectory.turns);
      const watched: WatchedGroup = {
        group: groupId,
        success: judged.length === 0 ? null : share(judged, ({ success }) => success === true),
        readable: turns.length === 0 ? 1 : share(turns, ({ parseError }) => parseError === null),
      };
      seen = { ...seen, [version]: [...known, watched] };
    }
  }
  return seen === watch.groups ? watch : { ...watch, groups: seen };
}

/** The reason to roll back the stable version, as a sentence; `null` if there is none. */
export function liveFall(watch: LiveWatch, limits: LiveLimits): string | null {
  if (watch.before === null) return null;
  const before = watch.groups[watch.before] ?? [];
  const now = watch.groups[watch.stable] ?? [];
  for (const [what, measure] of MEASURES) {
    const test = fallTest(
      before.flatMap((group) => group[measure] ?? []),
      now.flatMap((group) => group[measure] ?? []),
      { tolerance: limits[measure], falseAlarm: limits.falseAlarm },
    );
    if (test.hasFallen) {
      return `${what} of version ${watch.stable} is ${percent(test.now)}; version ${watch.before} had ${percent(test.before)} (${test.pairs} groups each)`;
    }
  }
  return null;
}

const MEASURES = [
  ["live success", "success"],
  ["the share of readable turns", "readable"],
] as const;

function share<T>(items: readonly T[], holds: (item: T) => boolean): number {
  return items.filter(holds).length / items.length;
}

function percent(value: number): string {
  return `${(100 * value).toFixed(1)} %`;
}
