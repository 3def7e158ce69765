/**
 * Sequential tests that were measured for releases and not chosen, and the boundaries that the command `releases`
 * compares. All but the ordinary test bound the chance of a false alarm over an unlimited time.
 */
import { WaggleError } from "@waggle/protocol";
import { mixtureBoundary } from "./mixture-boundary.ts";
import { normalQuantile } from "./normal-quantile.ts";
import { type ReleasePlan, sizeAfterExposure } from "./release-plan.ts";
import { sequentialBoundary } from "./sequential-boundary.ts";

/**
 * Boundaries in standard errors by name, each a function of the size of a comparison. All have the plan's error
 * rate, and those with a size to choose are made for the plan's exposure.
 *
 * @param effect - that a candidate is worse by, in standard deviations of a value, > 0.
 */
export function comparedBoundaries(
  plan: ReleasePlan,
  effect: number,
): Readonly<Record<string, (size: number) => number>> {
  const falseAlarm = plan.falseRollback;
  const planned = sizeAfterExposure(plan, plan.exposure);
  const once = normalQuantile(falseAlarm);
  return {
    "O'Brien-Fleming line and mixture (chosen)": (size) =>
      sequentialBoundary(size, { falseAlarm, planned }),
    "likelihood ratio against the true effect": (size) =>
      likelihoodRatioBoundary(size, { falseAlarm, effect }),
    "normal mixture alone (mSPRT)": (size) =>
      mixtureBoundary(size, { falseAlarm, narrowest: planned }),
    "ordinary test after every look": () => once,
  };
}

/**
 * The boundary of the sequential probability ratio test against one effect, in standard errors.
 *
 * Source: Wald 1945, "Sequential tests of statistical hypotheses", Annals of Mathematical Statistics 16(2).
 *
 * @param effect - in standard deviations of a value, > 0.
 */
function likelihoodRatioBoundary(
  size: number,
  { falseAlarm, effect }: { readonly falseAlarm: number; readonly effect: number },
): number {
  const root = effect * Math.sqrt(size);
  return -Math.log(falseAlarm) / root + root / 2;
}

/** A candidate's success or failure with the stable version's since the candidate's last one. */
export type OutcomeBlock = {
  readonly isSuccess: boolean;
  readonly stableSuccesses: number;
  readonly stableValues: number;
};

/**
 * The block at which two success rates are found to differ, from 0; `null` if never. Exact for independent outcomes.
 *
 * Source: Turner, Ly & Grünwald 2024, "Generic E-variables for exact sequential k-sample tests that allow for
 * optional stopping", Journal of Statistical Planning and Inference 230, for 2×2 tables.
 * Differs from it: the candidate's rate is assumed to be lower by the effect, so that its power is the most to
 * be had for that effect.
 *
 * @param effect - how much lower the candidate's rate is assumed to be, in (0, 1).
 */
export function twoByTwoAlarm(
  blocks: readonly OutcomeBlock[],
  { falseAlarm, effect }: { readonly falseAlarm: number; readonly effect: number },
): number | null {
  if (!(effect > 0 && effect < 1)) {
    throw new WaggleError("INVALID_ARGUMENT", `the effect must be in (0, 1), got ${effect}`);
  }
  // One success and one failure beforehand keep the estimate off 0 and 1.
  let [successes, values, capital] = [1, 2, 1];
  for (const [i, { isSuccess, stableSuccesses, stableValues }] of blocks.entries()) {
    const stable = successes / values;
    const candidate = Math.max(stable - effect, stable / values);
    const pooled = (candidate + stableValues * stable) / (1 + stableValues);
    capital *= isSuccess ? candidate / pooled : (1 - candidate) / (1 - pooled);
    capital *= (stable / pooled) ** stableSuccesses;
    capital *= ((1 - stable) / (1 - pooled)) ** (stableValues - stableSuccesses);
    if (capital >= 1 / falseAlarm) return i;
    successes += stableSuccesses;
    values += stableValues;
  }
  return null;
}
