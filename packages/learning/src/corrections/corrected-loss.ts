/**
 * Wraps a loss part with a correction that drops off-policy tokens or sequences. `tis`, which reweights
 * instead, is in `importance-weights.ts`. Bounds are ratios of the proximal to the behavior policy.
 */
import type { LossPart, Minibatch } from "../composition/part.ts";
import type { StateName } from "../composition/state.ts";
import { lossPart, withTokenWeights } from "../losses/loss-part.ts";
import type { Correction } from "./correction.ts";

/** A loss that accepts token weights. A sequence-level ratio cannot drop some of its tokens. */
export type TokenLoss<N extends StateName> = LossPart<N> & { readonly bySequence?: never };

/** `inner` with its token weights multiplied by those of a correction. */
export function corrected<N extends StateName>(
  part: string,
  inner: LossPart<N>,
  correct: (minibatch: Minibatch) => Correction,
): LossPart<N> {
  return lossPart(
    part,
    (minibatch, context) =>
      inner.compute(withTokenWeights(minibatch, correct(minibatch).weights), context),
    { ...inner, corrects: true, around: [inner] },
  );
}
