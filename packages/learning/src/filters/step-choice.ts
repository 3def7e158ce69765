/**
 * `step-mask` and `entropy-steps`: which steps of a run carry loss. The others are context: they were
 * wrong, or certain, or not decisive.
 *
 * Source: ATLaS (critical steps), EEF and Orchard (productive parts of failed runs), AgentRefine
 * (errors not imitated), DART (steps above an entropy quantile).
 */
import { quantileOf, requireInside } from "../statistics.ts";
import type { LossMask } from "../token-rows.ts";

/** Sampled tokens `[start, end)` of a step. */
export type StepSpan = { readonly start: number; readonly end: number };

/** The mask with every token outside the kept steps switched off; what was off stays off. */
export function maskToSteps(
  lossMask: readonly boolean[],
  spans: readonly StepSpan[],
  keepsStep: (step: number) => boolean,
): boolean[] {
  const kept = lossMask.map(() => false);
  for (const [step, { start, end }] of spans.entries()) {
    if (!keepsStep(step)) continue;
    for (let t = start; t < end; t += 1) kept[t] = lossMask[t] ?? false;
  }
  return kept;
}

/**
 * `[B][steps]` whether a step's mean entropy is at or above the batch's quantile.
 *
 * @param stepEntropies - `[B][steps]` nats.
 * @param quantile - in [0, 1]: 0 keeps all, 0.8 the fifth that is least certain.
 */
export function highEntropySteps(
  stepEntropies: readonly (readonly number[])[],
  quantile: number,
): boolean[][] {
  requireInside("quantile", quantile, 0, 1);
  const all = stepEntropies.flat();
  if (all.length === 0) return stepEntropies.map(() => []);
  const least = quantileOf(all, quantile);
  return stepEntropies.map((row) => row.map((entropy) => entropy >= least));
}

/** `[steps]` mean of a row's per-token numbers over each step's loss tokens; 0 for a step without any. */
export function stepMeans(
  values: ArrayLike<number>,
  lossMask: LossMask[number],
  spans: readonly StepSpan[],
): number[] {
  return spans.map(({ start, end }) => {
    let sum = 0;
    let count = 0;
    for (let t = start; t < end; t += 1) {
      if (!lossMask[t]) continue;
      sum += values[t] as number;
      count += 1;
    }
    return count === 0 ? 0 : sum / count;
  });
}
