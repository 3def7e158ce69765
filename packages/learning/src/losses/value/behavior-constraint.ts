/**
 * Improves a policy on logged data and keeps it close to the data: imitation of the logged actions plus a
 * policy gradient with detached advantages, normalized by their size. The actor's half of `td-bc`; the
 * critic's is `valueLoss` on TD targets.
 *
 * Sources: Fujimoto and Gu 2021, "A Minimalist Approach to Offline Reinforcement Learning" (TD3+BC),
 * arXiv:2106.06860, equations 4 and 5; a constraint per state, "Boosting Offline Reinforcement Learning with
 * Action Preference Query" (OAP), arXiv:2306.03362. Differs from them: actions are tokens, so the policy
 * gradient is a score-function gradient and not one through the critic.
 */
import { option, definePart } from "../../composition/part-options.ts";
import { lastTokenOf, PROPOSAL, proposalsOf } from "../../advantages/chunk-targets.ts";
import { turnRewards } from "../../advantages/credit.ts";
import type { LossPart, Minibatch, RewardedTrajectory } from "../../composition/part.ts";
import { addLosses, type LossResult, scaleLoss } from "../../loss.ts";
import {
  finiteAt,
  forEachLossToken,
  type LossMask,
  requireRows,
  type TokenRows,
} from "../../token-rows.ts";
import type { AggregationOption } from "../aggregation.ts";
import { supervisedLoss } from "../imitation/supervised-loss.ts";
import { lossPart, present } from "../loss-part.ts";
import { type ActionChoice, conservativePenalty } from "./conservative-penalty.ts";
import { valueLoss } from "./value-loss.ts";

/** A minibatch of logged actions. */
export type ConstrainedBatch = {
  readonly lossMask: LossMask;
  readonly policyLogProbs: TokenRows;
  /** Advantages of the logged actions, detached. */
  readonly advantages: TokenRows;
  /** Strength of the imitation at each token; absent = 1. */
  readonly constraints?: TokenRows | undefined;
};

/**
 * Σ share · −(strength·A / meanAbsolute + constraint)·log π_θ.
 *
 * @param strength - 2.5 is the published value.
 * @param meanAbsolute - mean |A| of the whole minibatch. Default: that of the batch.
 */
export function behaviorConstrained(
  batch: ConstrainedBatch,
  strength: number,
  options: AggregationOption & { readonly meanAbsolute?: number | undefined } = {},
): LossResult {
  const { lossMask, policyLogProbs, advantages, constraints } = batch;
  requireRows(lossMask, { policyLogProbs, advantages, constraints });
  const scale = options.meanAbsolute ?? meanAbsoluteAdvantage(batch);
  const weights = lossMask.map((row, b) =>
    Float64Array.from(row, (kept, t) =>
      kept
        ? (scale === 0 ? 0 : (strength * finiteAt(advantages, "advantages", b, t)) / scale) +
          (constraints === undefined ? 1 : finiteAt(constraints, "constraints", b, t))
        : 0,
    ),
  );
  return supervisedLoss({ lossMask, policyLogProbs, weights }, options);
}

/** Mean |A| over the loss tokens; 0 for no tokens. */
export function meanAbsoluteAdvantage({
  lossMask,
  advantages,
}: Pick<ConstrainedBatch, "lossMask" | "advantages">): number {
  let count = 0;
  let sum = 0;
  forEachLossToken(lossMask, (b, t) => {
    count += 1;
    sum += Math.abs(finiteAt(advantages, "advantages", b, t));
  });
  return count === 0 ? 0 : sum / count;
}

type TdBcOptions = {
  /** Weight of the policy gradient relative to imitation; 2.5 is the published value. */
  readonly strength?: number;
  /** Weight of the critic's loss. Default 0.5. */
  readonly criticWeight?: number;
  /** Keeps values of the policy's proposals below those of the logged actions. Default: off. */
  readonly conservative?:
    | {
        readonly coefficient: number;
        /** Only down to the return that the stored trajectory earned from there on. */
        readonly isCalibrated: boolean;
      }
    | undefined;
  /** How strongly to imitate a turn; default 1. `proposals`: the policy's actions in the same state. */
  readonly constraintOf?: (
    rewarded: RewardedTrajectory,
    turn: number,
    proposals: readonly RewardedTrajectory[],
  ) => number;
};

/**
 * `td-bc`: the critic's TD loss, and imitation weighted by the resulting advantages; no weight is below 0.
 */
export function tdBc({
  strength,
  criticWeight,
  conservative,
  constraintOf = () => 1,
}: TdBcOptions = {}): LossPart<"critic"> {
  return definePart(
    { tdBcStrength: option(strength, 2.5), criticWeight: option(criticWeight, 0.5) },
    ({ tdBcStrength: strength, criticWeight }) =>
      lossPart(
        "td-bc",
        (minibatch) => {
          const values = present(minibatch.values, "td-bc", "values of a critic");
          const targets = present(minibatch.returns, "td-bc", "targets of td");
          const lossMask = minibatch.lossMask.map((mask, b) =>
            minibatch.trajectories[b]?.trajectory.role === PROPOSAL ? mask.map(() => false) : mask,
          );
          const constraints = constraintRows(minibatch, constraintOf);
          const meanAbsolute = meanAbsoluteAdvantage({ ...minibatch, lossMask });
          // No token weight is below 0: pushing a bad action down has no lower bound.
          const advantages = minibatch.advantages.map((row, b) =>
            Float64Array.from(row, (advantage, t) =>
              strength === 0
                ? 0
                : Math.max(advantage, (-(constraints[b]?.[t] ?? 0) * meanAbsolute) / strength),
            ),
          );
          const losses = [
            behaviorConstrained({ ...minibatch, lossMask, advantages, constraints }, strength, {
              ...minibatch,
              meanAbsolute,
            }),
            scaleLoss(
              valueLoss({ lossMask, values, targets }, { form: "squared" }, minibatch),
              criticWeight,
            ),
          ];
          if (conservative !== undefined) {
            const choices = choicesOf(minibatch, conservative.isCalibrated);
            losses.push(
              conservativePenalty({ lossMask, values }, choices, conservative.coefficient),
            );
          }
          return addLosses(...losses);
        },
        { needs: ["critic"], derivatives: ["logProb", "values"] },
      ),
  );
}

function constraintRows(
  minibatch: Minibatch,
  constraintOf: NonNullable<TdBcOptions["constraintOf"]>,
): Float64Array[] {
  return minibatch.lossMask.map((mask, b) => {
    const row = new Float64Array(mask.length);
    const rewarded = minibatch.trajectories[b] as RewardedTrajectory;
    for (const [i, { sample, start, end }] of rewarded.trajectory.turns.entries()) {
      if (sample !== minibatch.samples[b]) continue;
      const proposals = proposalsOf(minibatch, rewarded.trajectory.id, i);
      const strength = constraintOf(
        rewarded,
        i,
        proposals.map((proposal) => proposal.rewarded),
      );
      row.fill(strength, start, end);
    }
    return row;
  });
}

/** Logged actions, each with the policy's proposals in the same state. */
function choicesOf(minibatch: Minibatch, isCalibrated: boolean): ActionChoice[] {
  return minibatch.trajectories.flatMap((rewarded, row) =>
    rewarded.trajectory.turns.flatMap(({ sample, end }, i): ActionChoice[] => {
      if (sample !== minibatch.samples[row]) return [];
      const proposals = proposalsOf(minibatch, rewarded.trajectory.id, i);
      if (proposals.length === 0) return [];
      const earned = turnRewards(rewarded).slice(i);
      return [
        {
          taken: { row, token: end - 1 },
          alternatives: proposals.map((proposal) => ({
            row: proposal.row,
            token: lastTokenOf(proposal.rewarded, minibatch.samples[proposal.row] ?? 0),
          })),
          ...(isCalibrated ? { referenceValue: earned.reduce((sum, r) => sum + r, 0) } : {}),
        },
      ];
    }),
  );
}
