/**
 * The clipped surrogate that keeps a gradient at clipped tokens of high entropy: the value is the clipped
 * one, the derivative that of clip(r)·r/sg(r). High-entropy tokens decide exploration, and the plain clip
 * removes their gradients first. The part `sg-clip`.
 *
 * Source: Dong et al. 2025, "Agentic Entropy-Balanced Policy Optimization" (AEPO), arXiv:2510.14545, section
 * 3.3. Differs from it: an entropy threshold in nats is possible. The published code keeps the gradient of
 * every token at the upper bound, which is a threshold of −Infinity with `upper`. `both` with that threshold
 * is GPPO, arXiv:2508.07629.
 */
import { option, definePart } from "../../composition/part-options.ts";
import { WaggleError } from "@waggle/protocol";
import type { LossPart } from "../../composition/part.ts";
import type { LossResult } from "../../loss.ts";
import { finiteAt, requireRows, type TokenRows } from "../../token-rows.ts";
import type { AggregationOption } from "../aggregation.ts";
import { lossPart, present } from "../loss-part.ts";
import { clippedTerm } from "./clipped-surrogate.ts";
import { type ProximalBatch, proximalLoss } from "./policy-loss.ts";
import { clippedRatio, type RatioBounds } from "./ratio-bounds.ts";

/** Which clipped tokens keep a gradient. */
export type PreservedTokens = {
  /** Entropy, in nats, from which a clipped token keeps a gradient. */
  readonly entropyThreshold: number;
  /** `upper`: at the upper bound only, as published. `both`: also at the lower bound. */
  readonly sides: "upper" | "both";
};

/**
 * Equals the clipped surrogate, except for a derivative of −w·A·clip(r) at a clipped, uncertain token.
 *
 * @param batch - with the entropies of the policy, detached.
 * @returns metric `preservedFraction`: share of tokens that are clipped and keep their gradient.
 */
export function entropyPreservingClip(
  batch: ProximalBatch & { readonly entropies: TokenRows },
  bounds: RatioBounds,
  { entropyThreshold, sides }: PreservedTokens,
  options: AggregationOption = {},
): LossResult {
  if (batch.entropies === undefined) {
    throw new WaggleError(
      "CAPABILITY_MISSING",
      "the entropy-preserving clip needs entropies; choose an engine that returns them",
    );
  }
  requireRows(batch.lossMask, { entropies: batch.entropies });
  const { metrics, ...result } = proximalLoss(batch, options, (token) => {
    const term = clippedTerm(token, bounds);
    const isPreserved =
      term.clipped === true &&
      (sides === "both" || token.advantage > 0) &&
      finiteAt(batch.entropies, "entropies", token.b, token.t) >= entropyThreshold;
    if (!isPreserved) return { ...term, capped: false };
    return {
      ...term,
      slope: -token.advantage * clippedRatio(token.ratio, bounds),
      capped: true,
    };
  });
  const { capFraction, ...others } = metrics;
  return { ...result, metrics: { ...others, preservedFraction: capFraction ?? 0 } };
}

/** `sg-clip`: a clipped token keeps a gradient if the policy was uncertain of it. */
export function stopGradientClip(
  entropyThreshold: number,
  lower?: number,
  upper?: number,
): LossPart {
  return definePart(
    { stopGradientClipLower: option(lower, 0.2), stopGradientClipUpper: option(upper, 0.28) },
    ({ stopGradientClipLower: lower, stopGradientClipUpper: upper }) =>
      lossPart("sg-clip", (minibatch) => {
        const entropies = present(minibatch.entropies, "sg-clip", "entropies of the policy");
        const preserved = { entropyThreshold, sides: "upper" } as const;
        return entropyPreservingClip(
          { ...minibatch, entropies },
          { lower, upper },
          preserved,
          minibatch,
        );
      }),
  );
}
