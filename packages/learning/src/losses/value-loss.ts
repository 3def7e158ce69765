/**
 * Fitting a critic to returns. The clipped form keeps a value near what it was when the update began.
 *
 * Sources: clipping, Schulman et al. 2017, arXiv:1707.06347 (as in its code, Huang et al. 2022, "The 37
 * Implementation Details of PPO"); one-sided, Oh et al. 2018, "Self-Imitation Learning",
 * arXiv:1806.05635; expectiles, Kostrikov et al. 2021, "Implicit Q-Learning", arXiv:2110.06169.
 */
import type { LossResult } from "../loss.ts";
import {
  finiteAt,
  forEachLossToken,
  type LossMask,
  requireRows,
  type TokenRows,
  zeroRows,
} from "../token-rows.ts";
import { type AggregationOption, resolvedShares } from "./aggregation.ts";

/** All `[B][T]`; the mask names the positions where the critic speaks: tokens, or ends of turns. */
export type ValueBatch = {
  readonly lossMask: LossMask;
  /** One value per token. */
  readonly values: TokenRows;
  /** Returns or TD targets, detached. */
  readonly targets: TokenRows;
};

export type ValueForm =
  /** ½(V − target)². */
  | { readonly form: "squared" }
  /** ½·max((V − target)², (clip(V, V_earlier ± range) − target)²); range in units of the return. */
  | { readonly form: "clipped"; readonly range: number; readonly earlierValues: TokenRows }
  /** ½·max(target − V, 0)²: raised where it was too low, never lowered. */
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
      // Where the bounded error is the larger one, the value lies outside the range.
      return boundedGap * boundedGap > gap * gap
        ? { value: 0.5 * boundedGap * boundedGap, slope: 0, clipped: true }
        : { value: 0.5 * gap * gap, slope: gap, clipped: false };
    }
  }
}
