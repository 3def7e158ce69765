/**
 * The KL penalty to a reference policy as a per-token reward, −coefficient·k1, which enters the advantages.
 * The alternative is the loss term (`klLoss`); a run uses one of the two.
 *
 * Source: Ziegler et al. 2019, "Fine-Tuning Language Models from Human Preferences", arXiv:1909.08593,
 * equation 2.
 */
import { finiteAt, type LossMask, requireRows, type TokenRows } from "../token-rows.ts";

/**
 * `[B][T]` −coefficient·(log π_sampled − log π_ref), detached; 0 outside the mask.
 *
 * @param batch - `sampledLogProbs` are those of the policy that sampled, or the trainer's at the step's
 *   start.
 */
export function klRewards(
  batch: {
    readonly lossMask: LossMask;
    readonly sampledLogProbs: TokenRows;
    readonly referenceLogProbs: TokenRows;
  },
  coefficient: number,
): Float64Array[] {
  const { lossMask, sampledLogProbs, referenceLogProbs } = batch;
  requireRows(lossMask, { sampledLogProbs, referenceLogProbs });
  return lossMask.map((row, b) =>
    Float64Array.from(row, (kept, t) =>
      kept
        ? -coefficient *
          (finiteAt(sampledLogProbs, "sampledLogProbs", b, t) -
            finiteAt(referenceLogProbs, "referenceLogProbs", b, t))
        : 0,
    ),
  );
}
