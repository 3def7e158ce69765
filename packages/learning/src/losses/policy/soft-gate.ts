/**
 * A sigmoid gate instead of the clip: the gradient fades smoothly as the ratio leaves 1, faster for tokens of
 * negative advantage.
 *
 * Source: Gao et al. 2025, "Soft Adaptive Policy Optimization" (SAPO), arXiv:2511.20347. Not the
 * rollout-sharing SAPO of rl-swarm.
 */
import { option, definePart } from "../../composition/part-options.ts";
import type { LossPart } from "../../composition/part.ts";
import { logistic } from "../../logistic.ts";
import type { LossResult } from "../../loss.ts";
import type { AggregationOption } from "../aggregation.ts";
import { lossPart } from "../loss-part.ts";
import { type ProximalBatch, proximalLoss } from "./policy-loss.ts";

/** Steepness of the gate. Published: 1 and 1.05. */
export type GateTemperatures = { readonly positive: number; readonly negative: number };

/** Σ w · −A·(4/τ)·σ(τ(r − 1)), τ by the sign of A. At ratio 1 its derivative is −w·A. */
export function softGatedSurrogate(
  batch: ProximalBatch,
  temperatures: GateTemperatures = { positive: 1, negative: 1.05 },
  options: AggregationOption = {},
): LossResult {
  return proximalLoss(batch, options, ({ advantage, ratio, ratioSlope }) => {
    const temperature = advantage > 0 ? temperatures.positive : temperatures.negative;
    const gate = logistic(temperature * (ratio - 1));
    return {
      value: (-advantage * 4 * gate) / temperature,
      slope: -advantage * 4 * gate * (1 - gate) * ratioSlope,
    };
  });
}

/** `soft-gate`: a sigmoid of the ratio instead of a clip. */
export function softGate(positive?: number, negative?: number): LossPart {
  return definePart(
    { softGatePositive: option(positive, 1), softGateNegative: option(negative, 1.05) },
    ({ softGatePositive: positive, softGateNegative: negative }) =>
      lossPart("soft-gate", (minibatch) =>
        softGatedSurrogate(minibatch, { positive, negative }, minibatch),
      ),
  );
}
