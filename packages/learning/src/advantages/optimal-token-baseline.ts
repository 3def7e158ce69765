/**
 * The minimum-variance baseline at each token position: returns weighted by the accumulated squared norm of
 * the score. It needs no gradient: for softmax logits the norm is 1 − 2π_s + Σ_v π_v² per token.
 *
 * Source: Li et al. 2025, "Optimal Token Baseline", as verl's `tir_optimal_token_baseline`.
 * Differs from it: a position counts sampled tokens only, so tool results do not shift it.
 */
import { WaggleError } from "@waggle/protocol";
import type { AdvantagePart, AdvantageRows, RewardedTrajectory } from "../composition/part.ts";
import { requireFiniteRewards, requireGroup, requireSameLength } from "../statistics.ts";
import type { LossMask, TokenRows } from "../token-rows.ts";
import { advantagePart } from "./credit.ts";

/** One group with the engine outputs that the baseline needs. */
export type OptimalTokenBatch = {
  /** `[G][T]` of one group; position t counts sampled tokens only. */
  readonly lossMask: LossMask;
  /** `[G]` */
  readonly rewards: readonly number[];
  /** `[G][T]` log-probs of the sampled tokens, detached. */
  readonly logProbs: TokenRows;
  /** `[G][T]` Σ_v π_v², from the same forward pass, detached. */
  readonly sumSquaredProbs: TokenRows;
};

/**
 * Advantages of one group.
 *
 * @returns `[G][T]` reward − baseline of the token's position, 0 for given tokens. At a position that only
 *   one rollout reaches, the baseline is its own reward and the advantage 0.
 * @throws WaggleError `GROUP_TOO_SMALL`, `NON_FINITE_REWARD`, `SHAPE_MISMATCH`.
 */
export function optimalTokenAdvantages(batch: OptimalTokenBatch): Float64Array[] {
  const { lossMask, rewards, logProbs, sumSquaredProbs } = batch;
  requireGroup(rewards);
  requireSameLength("lossMask", lossMask.length, "rewards", rewards.length);
  requireFiniteRewards(rewards);
  const weights = lossMask.map((row, b) =>
    accumulatedScores(row, logProbs[b]!, sumSquaredProbs[b]!),
  );
  const longest = Math.max(...weights.map((row) => row.length));
  const baselines = Array.from({ length: longest }, (_, position) => {
    let weighted = 0;
    let total = 0;
    let plain = 0;
    let present = 0;
    for (const [b, row] of weights.entries()) {
      if (position >= row.length) continue;
      weighted += rewards[b]! * row[position]!;
      total += row[position]!;
      plain += rewards[b]!;
      present += 1;
    }
    // If all tokens are certain, their scores are 0 and give no weights, so the plain mean is used.
    return total > 0 ? weighted / total : plain / present;
  });
  return lossMask.map((row, b) => {
    let position = 0;
    return Float64Array.from(row, (kept) => {
      if (!kept) return 0;
      position += 1;
      return rewards[b]! - baselines[position - 1]!;
    });
  });
}

/** W_t = Σ_{s≤t} (1 − 2π_s + Σ_v π_v²) over the loss tokens. */
function accumulatedScores(
  kept: readonly boolean[],
  logProbs: ArrayLike<number>,
  sumSquaredProbs: ArrayLike<number>,
): number[] {
  requireSameLength("logProbs", logProbs.length, "lossMask", kept.length);
  requireSameLength("sumSquaredProbs", sumSquaredProbs.length, "lossMask", kept.length);
  const sums: number[] = [];
  let sum = 0;
  for (const [t, isKept] of kept.entries()) {
    if (!isKept) continue;
    sum += 1 - 2 * Math.exp(logProbs[t]!) + sumSquaredProbs[t]!;
    sums.push(sum);
  }
  return sums;
}

/**
 * `otb`. @throws WaggleError `CAPABILITY_MISSING` from its estimate if the engine gives no squared
 * probabilities.
 */
export function optimalTokenBaseline(): AdvantagePart<never, "group"> {
  const part = advantagePart("otb", "group", (groups, { outputs }) => {
    const { logProb, sumSquaredProb } = outputs ?? {};
    if (logProb === undefined || sumSquaredProb === undefined) {
      throw new WaggleError(
        "CAPABILITY_MISSING",
        "advantage otb needs log-probs and sums of squared probabilities; use an engine with the output sumSquaredProb, or choose another recipe",
      );
    }
    const advantages = new Map<string, TokenRows>();
    for (const { trajectories } of groups) {
      const ofGroup = optimalTokenAdvantages({
        lossMask: trajectories.map(({ lossMask }) => lossMask.flat()),
        rewards: trajectories.map(({ reward }) => reward.total),
        logProbs: trajectories.map((rewarded) => inOneRow(rewarded, logProb)),
        sumSquaredProbs: trajectories.map((rewarded) => inOneRow(rewarded, sumSquaredProb)),
      });
      for (const [i, { trajectory, lossMask }] of trajectories.entries()) {
        advantages.set(trajectory.id, bySamples(ofGroup[i] as Float64Array, lossMask));
      }
    }
    return { advantages };
  });
  return { ...part, reads: ["sumSquaredProb"] };
}

/** The rows of a trajectory's samples, concatenated; 0 for a sample without loss tokens. */
function inOneRow({ trajectory, lossMask }: RewardedTrajectory, rows: AdvantageRows): number[] {
  return lossMask.flatMap((mask, sample) => {
    const row = rows.get(trajectory.id)?.[sample];
    return row === undefined ? mask.map(() => 0) : Array.from(row);
  });
}

function bySamples(row: Float64Array, lossMask: LossMask): TokenRows {
  let end = 0;
  return lossMask.map((mask) => {
    end += mask.length;
    return row.subarray(end - mask.length, end);
  });
}
