/**
 * Loss parts around another one, which leave out what an older policy sampled too differently: by token
 * or by sequence. `tis`, which weighs instead, is in `policy-losses.ts`. Bounds are ratios of the policy
 * at the step's start to what sampled.
 */
import type { LossPart, Minibatch } from "../composition/part.ts";
import type { StateName } from "../composition/state.ts";
import { lossPart, weighed } from "../losses/loss-part.ts";
import type { Correction } from "./correction.ts";

/** A loss whose tokens may weigh differently: a sequence's one ratio cannot leave some of them out. */
export type TokenLoss<N extends StateName> = LossPart<N> & { readonly bySequence?: never };

export function corrected<N extends StateName>(
  part: string,
  inner: LossPart<N>,
  correct: (minibatch: Minibatch) => Correction,
): LossPart<N> {
  return lossPart(
    part,
    (minibatch, context) => inner.compute(weighed(minibatch, correct(minibatch).weights), context),
    { ...inner, around: [inner] },
  );
}
