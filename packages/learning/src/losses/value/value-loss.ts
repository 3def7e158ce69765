/**
 * Fits a critic to returns. The clipped form keeps a value near the one at the start of the update.
 *
 * Sources: clipping, Schulman et al. 2017, arXiv:1707.06347 (as in its code, Huang et al. 2022, "The 37
 * Implementation Details of PPO"); one-sided, Oh et al. 2018, "Self-Imitation Learning", arXiv:1806.05635;
 * expectiles, Kostrikov et al. 2021, "Implicit Q-Learning", arXiv:2110.06169.
 */
import { option, definePart } from "../../composition/part-options.ts";
import type { LossPart, Minibatch, RewardModelLoss } from "../../composition/part.ts";
import type { LossResult } from "../../loss.ts";
import {
  finiteAt,
  forEachLossToken,
  type LossMask,
  lossTokenCount,
  requireRows,
  type TokenRows,
  zeroRows,
} from "../../token-rows.ts";
import { type AggregationOption, resolvedShares } from "../aggregation.ts";
import { lossPart, present, rewardModelLoss } from "../loss-part.ts";

/** All `[B][T]`; the mask selects the positions at which values are fitted: tokens, or ends of turns. */
export type ValueBatch = {
  readonly lossMask: LossMask;
  /** One value per token. */
  readonly values: TokenRows;
  /** Returns or TD targets, detached. */
  readonly targets: TokenRows;
};

/** The per-token term of a value loss. */
export type ValueForm =
  /** ½(V − target)². */
  | { readonly form: "squared" }
  /** ½·max((V − target)², (clip(V, V_earlier ± range) − target)²); range in units of the return. */
  | { readonly form: "clipped"; readonly range: number; readonly earlierValues: TokenRows }
  /** ½·max(target − V, 0)²: raises values that are too low, never lowers one. */
  | { readonly form: "raise-only" }
  /** ½·|τ − [V > target]|·(V − target)²; τ in (0, 1), 0.5 is half of `squared`. */
  | { readonly form: "expectile"; readonly expectile: number };

/** Σ share · the form's term. Metrics: `valueError` ½(V − target)², `valueClipFraction`. */
export function valueLoss(
  batch: ValueBatch,
  form: ValueForm = { form: "squared" },
  options: AggregationOption = {},
): LossResult {
  const { lossMask, values, targets } = batch;
  const earlierValues = form.form === "clipped" ? form.earlierValues : undefined;
  requireRows(lossMask, { values, targets, earlierValues });
  const { shares, perToken } = resolvedShares(lossMask, options);
  const derivatives = zeroRows(lossMask);
  let loss = 0;
  let error = 0;
  let clippedTokens = 0;
  forEachLossToken(lossMask, (b, t) => {
    const value = finiteAt(values, "values", b, t);
    const target = finiteAt(targets, "targets", b, t);
    const earlier =
      earlierValues === undefined ? 0 : finiteAt(earlierValues, "earlierValues", b, t);
    const term = valueTerm(form, value, target, earlier);
    const share = finiteAt(shares, "shares", b, t);
    loss += share * term.value;
    (derivatives[b] as Float64Array)[t] = share * term.slope;
    error += 0.5 * (value - target) ** 2 * perToken;
    clippedTokens += term.clipped ? 1 : 0;
  });
  return {
    loss,
    derivatives: { values: derivatives },
    metrics: { valueError: error, valueClipFraction: clippedTokens * perToken },
  };
}

function valueTerm(
  form: ValueForm,
  value: number,
  target: number,
  earlier: number,
): { readonly value: number; readonly slope: number; readonly clipped: boolean } {
  const gap = value - target;
  switch (form.form) {
    case "squared":
      return { value: 0.5 * gap * gap, slope: gap, clipped: false };
    case "raise-only":
      return gap < 0
        ? { value: 0.5 * gap * gap, slope: gap, clipped: false }
        : { value: 0, slope: 0, clipped: false };
    case "expectile": {
      const weight = gap > 0 ? 1 - form.expectile : form.expectile;
      return { value: 0.5 * weight * gap * gap, slope: weight * gap, clipped: false };
    }
    case "clipped": {
      const bounded = Math.min(earlier + form.range, Math.max(earlier - form.range, value));
      const boundedGap = bounded - target;
      // If the bounded error is the larger one, the value is outside the range.
      return boundedGap * boundedGap > gap * gap
        ? { value: 0.5 * boundedGap * boundedGap, slope: 0, clipped: true }
        : { value: 0.5 * gap * gap, slope: gap, clipped: false };
    }
  }
}

/**
 * Predicts the trajectory's reward by least squares, at its `end` or after each of its `turns` (the expected
 * reward from there). Not in the literature table.
 */
export function outcomeRegression(at?: "end" | "turns"): RewardModelLoss<"rm"> {
  return definePart(
    { outcomeRegressionAt: option<"end" | "turns">(at, "turns", ["end", "turns"]) },
    ({ outcomeRegressionAt: at }) =>
      rewardModelLoss("outcome-regression", (minibatch) => {
        const values = present(minibatch.values, "outcome-regression", "values of a reward model");
        const lossMask = minibatch.lossMask.map((mask, b) => {
          const ends = endsOf(minibatch, b, at);
          return mask.map((counts, t) => counts && ends.has(t));
        });
        const targets = minibatch.lossMask.map((mask, b) =>
          new Float64Array(mask.length).fill(minibatch.trajectories[b]?.reward.total ?? 0),
        );
        return valueLoss(
          { lossMask, values, targets },
          { form: "squared" },
          { tokenCount: lossTokenCount(lossMask) },
        );
      }),
  );
}

/** Last tokens of the turns in row `b`, or of the last turn only. */
function endsOf(
  { trajectories, samples }: Minibatch,
  b: number,
  at: "end" | "turns",
): ReadonlySet<number> {
  const { turns = [] } = trajectories[b]?.trajectory ?? {};
  const ofRow = turns.filter(({ sample }) => sample === samples[b]);
  return new Set((at === "end" ? ofRow.slice(-1) : ofRow).map(({ end }) => end - 1));
}

/**
 * Weight of the critic's loss relative to the policy's. Its gradient reaches only the value heads, and Adam's
 * step size does not depend on the weight; a small weight keeps the clipped gradient norm for the policy.
 */
export const CRITIC_WEIGHT = 0.05;

/**
 * `value`: fits the critic to the returns, at every token or, for one value per turn, at the start of each
 * turn. The decoder is shared with the policy, and its adapter gets no gradient from the critic, which made
 * the policy unlearn (VL-DAC stops this gradient too; other trainers use a separate critic model).
 */
export function critic(at?: "tokens" | "turns"): LossPart<"critic"> {
  return definePart(
    { criticAt: option<"tokens" | "turns">(at, "tokens", ["tokens", "turns"]) },
    ({ criticAt: at }) => {
      const part = lossPart<"critic">(
        "value",
        (minibatch) => {
          const values = present(minibatch.values, "value", "values of a critic");
          const targets = present(minibatch.returns, "value", "returns to fit");
          return at === "tokens"
            ? valueLoss(
                { lossMask: minibatch.lossMask, values, targets },
                { form: "squared" },
                minibatch,
              )
            : valueLoss({ lossMask: turnStarts(minibatch), values, targets });
        },
        { needs: ["critic"], derivatives: ["values"] },
      );
      return { ...part, endsAtHeads: true };
    },
  );
}

/** The first loss token of each turn. */
function turnStarts({ lossMask, trajectories, samples }: Minibatch): boolean[][] {
  return lossMask.map((row, b) => {
    const turns = trajectories[b]?.trajectory.turns ?? [];
    const starts = new Set(
      turns.filter(({ sample }) => sample === samples[b]).map(({ start }) => start),
    );
    return row.map((counts, t) => counts && starts.has(t));
  });
}
