/**
 * Sampling in proportion to reward instead of maximizing it: the squared gap between a trajectory's
 * log-probability and the one that its reward implies, (log Z + Σ log π − log R)². The part `tb`.
 *
 * Sources: Malkin et al. 2022, "Trajectory balance: Improved credit assignment in GFlowNets",
 * arXiv:2201.13259, equation 14; for agents "GFlowVLM", arXiv:2503.06514; with a reference policy and log Z
 * estimated from the group, Bartoldson et al. 2025, "Trajectory Balance with Asynchrony", arXiv:2503.18929.
 */
import { WaggleError } from "@waggle/protocol";
import { definePart, option } from "../../composition/part-options.ts";
import type { LossPart } from "../../composition/part.ts";
import type { LossResult } from "../../loss.ts";
import {
  finiteAt,
  type LossMask,
  requireRows,
  requireSequences,
  type TokenRows,
  zeroRows,
} from "../../token-rows.ts";
import { lossPart, present } from "../loss-part.ts";

/** A minibatch with the target of each sequence. */
export type BalanceBatch = {
  readonly lossMask: LossMask;
  readonly policyLogProbs: TokenRows;
  /** Absent: the target is log R. Present: log R plus the reference's log-prob. */
  readonly referenceLogProbs?: TokenRows | undefined;
  /** `[B]` log R, or reward / β; finite. */
  readonly logRewards: ArrayLike<number>;
  /** `[B]` log Z of each sequence's task: learned, or from `groupLogPartitions`; detached. */
  readonly logPartitions: ArrayLike<number>;
};

/** A loss with derivatives for learned partitions. */
export type BalanceResult = LossResult & {
  /** `[B]` dL / d log Z, for a caller that learns it. */
  readonly logPartitionDerivatives: Float64Array;
};

/**
 * Mean over sequences of (log Z + log π − log π_ref − log R)², in nats².
 *
 * @param sequenceCount - sequences of the whole minibatch. Default: those of the batch.
 */
export function trajectoryBalance(
  batch: BalanceBatch,
  sequenceCount: number = batch.lossMask.length,
): BalanceResult {
  const { lossMask } = batch;
  const gaps = balanceGaps(batch);
  const logProb = zeroRows(lossMask);
  const logPartitionDerivatives = new Float64Array(lossMask.length);
  const share = sequenceCount === 0 ? 0 : 1 / sequenceCount;
  let loss = 0;
  for (const [b, row] of lossMask.entries()) {
    const gap = (batch.logPartitions[b] as number) - (gaps[b] as number);
    loss += gap * gap * share;
    logPartitionDerivatives[b] = 2 * gap * share;
    for (const [t, kept] of row.entries()) {
      if (kept) (logProb[b] as Float64Array)[t] = 2 * gap * share;
    }
  }
  return {
    loss,
    derivatives: { logProb },
    metrics: { balanceGap: loss },
    logPartitionDerivatives,
  };
}

/**
 * `[B]` log Z as the mean over a task's rollouts of log R + log π_ref − log π. With it the gaps of a group
 * sum to 0, so no partition has to be learned. Needs the whole minibatch.
 *
 * @param prompts - `[B]` the task of each sequence.
 * @throws WaggleError `GROUP_TOO_SMALL` for a task with one rollout, whose gap would be 0 by definition.
 */
export function groupLogPartitions(
  batch: Omit<BalanceBatch, "logPartitions">,
  prompts: readonly (string | number)[],
): Float64Array {
  const gaps = balanceGaps(batch);
  return Float64Array.from(gaps, (_, b) => {
    const group = gaps.filter((_gap, i) => prompts[i] === prompts[b]);
    if (group.length < 2) {
      throw new WaggleError(
        "GROUP_TOO_SMALL",
        `estimating log Z of a task takes at least 2 rollouts, and the group has ${group.length}; raise the group size or learn log Z`,
      );
    }
    return group.reduce((sum, gap) => sum + gap, 0) / group.length;
  });
}

/** `[B]` log R + log π_ref − log π. */
function balanceGaps(batch: Omit<BalanceBatch, "logPartitions">): number[] {
  const { lossMask, policyLogProbs, referenceLogProbs, logRewards } = batch;
  requireRows(lossMask, { policyLogProbs, referenceLogProbs });
  requireSequences(lossMask, { logRewards });
  return lossMask.map((row, b) =>
    row.reduce(
      (gap, kept, t) =>
        kept
          ? gap -
            finiteAt(policyLogProbs, "policyLogProbs", b, t) +
            (referenceLogProbs === undefined
              ? 0
              : finiteAt(referenceLogProbs, "referenceLogProbs", b, t))
          : gap,
      logRewards[b] as number,
    ),
  );
}

const PARTITIONS = ["task", "batch"] as const;

/**
 * `tb`: trajectory balance with log R = reward / `beta`. log Z is estimated from the trajectories of a task
 * or, if each task has one, of the batch. Defaults: β 1, by task.
 */
export function trajectoryBalancing(
  beta?: number,
  estimated?: (typeof PARTITIONS)[number],
): LossPart<"ref"> {
  const options = { beta: option(beta, 1), partitionOf: option(estimated, "task", PARTITIONS) };
  return definePart(options, ({ beta, partitionOf }) =>
    lossPart(
      "tb",
      (minibatch) => {
        const batch = {
          ...minibatch,
          referenceLogProbs: present(minibatch.referenceLogProbs, "tb", "a reference policy"),
          logRewards: minibatch.trajectories.map(({ reward }) => reward.total / beta),
        };
        const tasks = minibatch.trajectories.map(({ trajectory }) =>
          partitionOf === "batch"
            ? "batch"
            : JSON.stringify(trajectory.record.task ?? trajectory.id),
        );
        return trajectoryBalance({ ...batch, logPartitions: groupLogPartitions(batch, tasks) });
      },
      { needs: ["ref"] },
    ),
  );
}
