/**
 * Trains a reward model from comparisons: the better of two sequences gets the higher value, read after its
 * last loss token. The part `rank`. Not a loss of the policy.
 *
 * Sources: Bradley and Terry 1952; with a margin Touvron et al. 2023, "Llama 2", arXiv:2307.09288, equation
 * 2.
 */
import { option, definePart } from "../../composition/part-options.ts";
import type { RewardModelLoss } from "../../composition/part.ts";
import { logistic, logLogistic } from "../../logistic.ts";
import type { LossResult } from "../../loss.ts";
import { finiteAt, type LossMask, type TokenRows, zeroRows } from "../../token-rows.ts";
import { present, rewardModelLoss } from "../loss-part.ts";
import type { PairCountOption } from "./preference-pairs.ts";

/** A comparison of two sequences. */
export type RankedPair = {
  /** Indexes of rows. */
  readonly better: number;
  readonly worse: number;
  /** How far the difference should exceed 0, in units of the value. Default 0. */
  readonly margin?: number | undefined;
};

/** Mean over pairs of −log σ(v(better) − v(worse) − margin). Metric `rankAccuracy`. */
export function rankLoss(
  batch: { readonly lossMask: LossMask; readonly values: TokenRows },
  pairs: readonly RankedPair[],
  { pairCount = pairs.length }: PairCountOption = {},
): LossResult {
  const values = zeroRows(batch.lossMask);
  const share = pairCount === 0 ? 0 : 1 / pairCount;
  const last = batch.lossMask.map((row) => Math.max(0, row.lastIndexOf(true)));
  let loss = 0;
  let right = 0;
  for (const { better, worse, margin = 0 } of pairs) {
    const at = (row: number): number => finiteAt(batch.values, "values", row, last[row] ?? -1);
    const difference = at(better) - at(worse);
    const slope = share * logistic(margin - difference);
    loss -= share * logLogistic(difference - margin);
    right += difference > 0 ? share : 0;
    const add = (row: number, amount: number): void => {
      const slopes = values[row] as Float64Array;
      slopes[last[row] as number] = (slopes[last[row] as number] ?? 0) + amount;
    };
    add(better, -slope);
    add(worse, slope);
  }
  return { loss, derivatives: { values }, metrics: { rankAccuracy: right } };
}

/** `rank`: the better side of each pair gets the higher value, by at least `margin` (default 0). */
export function rank(margin?: number): RewardModelLoss<"rm"> {
  return definePart({ rankMargin: option(margin, 0) }, ({ rankMargin }) =>
    rewardModelLoss("rank", (minibatch) =>
      rankLoss(
        {
          lossMask: minibatch.lossMask,
          values: present(minibatch.values, "rank", "values of a reward model"),
        },
        minibatch.pairs.map(([better, worse]) => ({ better, worse, margin: rankMargin })),
      ),
    ),
  );
}
