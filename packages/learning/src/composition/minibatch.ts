/**
 * Turns rewarded trajectories into the rows of a minibatch, one row per training sample. Runs no model: the
 * trainer fills in the numbers that an engine computes.
 */
import type { TrainingSample } from "@waggle/protocol";
import { type Aggregation, tokenShares } from "../losses/aggregation.ts";
import { lossTokenCount, type TokenRows } from "../token-rows.ts";
import type { AdvantageRows, Minibatch, RewardedTrajectory, RewardedGroup } from "./part.ts";

/** One training sample of a trajectory. */
export type Row = {
  readonly rewarded: RewardedTrajectory;
  /** Index into the trajectory's samples. */
  readonly index: number;
  readonly sample: TrainingSample;
};

/** The part of a minibatch that is known before an engine has run. */
export type PlannedMinibatch = Omit<
  Minibatch,
  | "policyLogProbs"
  | "proximalLogProbs"
  | "entropies"
  | "referenceLogProbs"
  | "teacherLogProbs"
  | "candidateLogProbs"
  | "teacherCandidateLogProbs"
  | "values"
  | "proximalValues"
> & { readonly rows: readonly Row[] };

/**
 * Rows in the order of the groups. Samples without a loss token are left out, except those of a pair.
 *
 * @param estimated - advantages by trajectory id; absent = 0, for losses that read none.
 * @param pairs - (chosen, rejected) trajectory ids; each trajectory must have exactly one sample.
 */
export function planMinibatch(
  groups: readonly RewardedGroup[],
  aggregation: Aggregation,
  estimated: { readonly advantages?: AdvantageRows; readonly returns?: AdvantageRows } = {},
  pairs: readonly (readonly [string, string])[] = [],
): PlannedMinibatch {
  const paired = new Set(pairs.flat());
  const rows = groups.flatMap(({ trajectories }) =>
    trajectories.flatMap((rewarded) =>
      rewarded.trajectory.samples.flatMap((sample, index): Row[] => {
        const counts = (rewarded.lossMask[index] ?? []).some(Boolean);
        return counts || paired.has(rewarded.trajectory.id) ? [{ rewarded, index, sample }] : [];
      }),
    ),
  );
  const taskOf = new Map(
    groups.flatMap(({ task, trajectories }) =>
      trajectories.map(({ trajectory }) => [trajectory.id, task]),
    ),
  );
  const lossMask = rows.map(
    ({ rewarded, index }) => rewarded.lossMask[index] as readonly boolean[],
  );
  const pick = (from: AdvantageRows | undefined): TokenRows =>
    rows.map(
      ({ rewarded, index, sample }) =>
        from?.get(rewarded.trajectory.id)?.[index] ?? new Float64Array(sample.lossMask.length),
    );
  const place = new Map(rows.map(({ rewarded }, b) => [rewarded.trajectory.id, b]));
  return {
    rows,
    lossMask,
    shares: tokenShares(aggregation, {
      lossMask,
      prompts: rows.map(({ rewarded }) => taskOf.get(rewarded.trajectory.id) ?? ""),
      rollouts: rows.map(({ rewarded }) => rewarded.trajectory.id),
    }),
    tokenCount: lossTokenCount(lossMask),
    weights: rows.map(({ rewarded, index }) => rewarded.tokenWeights[index] as ArrayLike<number>),
    advantages: pick(estimated.advantages),
    ...(estimated.returns === undefined ? {} : { returns: pick(estimated.returns) }),
    behaviorLogProbs: rows.map(({ sample }) => sample.behaviorLogProbs),
    trajectories: rows.map(({ rewarded }) => rewarded),
    samples: rows.map(({ index }) => index),
    pairs: pairs.map(([chosen, rejected]) => [
      place.get(chosen) as number,
      place.get(rejected) as number,
    ]),
  };
}

/**
 * A trajectory before any filter: with its samples' own masks and the weight of its verdict for all tokens, by default 1. If
 * feedback is about single turns, the other turns are masked out.
 */
export function rewardedTrajectory(
  trajectory: RewardedTrajectory["trajectory"],
  reward: RewardedTrajectory["reward"],
): RewardedTrajectory {
  return {
    trajectory,
    reward,
    lossMask: creditedMasks(trajectory),
    tokenWeights: trajectory.samples.map(({ lossMask }) =>
      new Float64Array(lossMask.length).fill(trajectory.verification.weight ?? 1),
    ),
  };
}

function creditedMasks({ samples, turns }: RewardedTrajectory["trajectory"]) {
  const masks = samples.map(({ lossMask }) => [...lossMask]);
  for (const { sample, start, end, credit } of turns) {
    if (credit === null) masks[sample]?.fill(false, start, end);
  }
  return masks;
}
