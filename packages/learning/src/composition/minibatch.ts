/**
 * From rewarded trajectories to the rows of a minibatch: one row a training sample. What an engine computes
 * is filled in by whoever has one; nothing here runs a model.
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

/** The part of a minibatch that is known before the engine has run. */
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
 * Rows in the order of the groups. Samples without a loss token are left out, but for those of a pair.
 *
 * @param estimated - by trajectory id; absent = advantages of 0, which token and pair losses do not read.
 * @param pairs - (chosen, rejected) trajectory ids; each must have one sample.
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

/** A trajectory before any filter: its samples' own masks, every token weighed alike. */
export function rewardedTrajectory(
  trajectory: RewardedTrajectory["trajectory"],
  reward: RewardedTrajectory["reward"],
): RewardedTrajectory {
  return {
    trajectory,
    reward,
    lossMask: trajectory.samples.map(({ lossMask }) => lossMask),
    tokenWeights: trajectory.samples.map(({ lossMask }) =>
      new Float64Array(lossMask.length).fill(1),
    ),
  };
}
