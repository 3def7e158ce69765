/**
 * Several losses as one, each a mean over its own tokens, so that a component with many tokens does not
 * dilute one with few: reinforcement beside imitation (`aux`), prediction of observations, distillation.
 *
 * Sources: prime-rl's total, Σrl/N_rl + Σce/N_ce + Σref/N_ref; predicting what tools answer at a weight of
 * 0.1 is its ECHO; extra losses for agents, e.g. "Agent Learning via Early Experience", arXiv:2510.08558.
 */
import { WaggleError } from "@waggle/protocol";
import { addLosses, type LossResult, scaleLoss } from "../loss.ts";
import type { LossMask, TokenRows } from "../token-rows.ts";
import type { AggregationOption } from "./aggregation.ts";
import { supervisedLoss } from "./supervised-loss.ts";

export type LossComponent = {
  readonly name: string;
  readonly weight: number;
  /** Computed with the counts of its own tokens in the whole minibatch. */
  readonly result: LossResult;
};

/** Σ weight · loss. Metrics carry their component's name; `<name>.loss` is unweighted. */
export function componentSum(components: readonly LossComponent[]): LossResult {
  const names = new Set(components.map(({ name }) => name));
  if (names.size !== components.length) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `components of a loss must have different names, got ${components.map(({ name }) => name).join(", ")}; rename one`,
    );
  }
  return addLosses(
    ...components.map(({ name, weight, result }) => ({
      ...scaleLoss(result, weight),
      metrics: Object.fromEntries(
        [["loss", result.loss] as const, ...Object.entries(result.metrics)].map(
          ([metric, value]) => [`${name}.${metric}`, value],
        ),
      ),
    })),
  );
}

/**
 * Cross-entropy of the tokens that the environment wrote: what the policy expects of its tools.
 *
 * @param batch - `observationMask` must not overlap with what the policy sampled.
 * @throws WaggleError `INVALID_ARGUMENT` for a token in both masks.
 */
export function observationLoss(
  batch: {
    readonly lossMask: LossMask;
    readonly observationMask: LossMask;
    readonly policyLogProbs: TokenRows;
  },
  options: AggregationOption = {},
): LossResult {
  const { lossMask, observationMask, policyLogProbs } = batch;
  for (const [b, row] of lossMask.entries()) {
    const t = row.findIndex((kept, i) => kept && observationMask[b]?.[i] === true);
    if (t >= 0) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `a token must be sampled or observed, got both at [${b}][${t}]; derive the masks from one record`,
      );
    }
  }
  return supervisedLoss({ lossMask: observationMask, policyLogProbs }, options);
}
