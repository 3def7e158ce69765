/**
 * Loss parts around another one, which leave out what an older policy sampled too differently: by token
 * or by sequence. `tis`, which weighs instead, is in `policy-losses.ts`. Bounds are ratios of the policy
 * at the step's start to what sampled.
 */
import type { LossPart, Minibatch } from "../composition/part.ts";
import type { StateName } from "../composition/state.ts";
import {
  icePopWeights,
  outlierVeto as outlierVetoMask,
  sequenceBandMask,
  tokenBandMask,
} from "../corrections/band-masks.ts";
import type { Correction } from "../corrections/correction.ts";
import { divergenceMask as divergenceMaskOf } from "../corrections/divergence-masks.ts";
import { secondMomentMask } from "../corrections/second-moment-mask.ts";
import { lossPart, weighed } from "./loss-part.ts";

/** A loss whose tokens may weigh differently: a sequence's one ratio cannot leave some of them out. */
type TokenLoss<N extends StateName> = LossPart<N> & { readonly bySequence?: never };

function corrected<N extends StateName>(
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

/** `token-band`: without tokens whose ratio lies outside the band. */
export function tokenBand<N extends StateName>(
  inner: TokenLoss<N>,
  lowest = 0.5,
  highest = 2,
): LossPart<N> {
  return corrected("token-band", inner, (minibatch) =>
    tokenBandMask(minibatch, { lowest, highest }),
  );
}

/** `icepop`: tokens inside the band weigh as much as their ratio, the others nothing. */
export function icePop<N extends StateName>(
  inner: TokenLoss<N>,
  lowest = 0.5,
  highest = 5,
): LossPart<N> {
  return corrected("icepop", inner, (minibatch) => icePopWeights(minibatch, { lowest, highest }));
}

/** `seq-band`: without sequences whose whole ratio, the product of their tokens', lies outside the band. */
export function sequenceBand<N extends StateName>(
  inner: LossPart<N>,
  lowest = 0.5,
  highest = 2,
): LossPart<N> {
  return corrected("seq-band", inner, (minibatch) =>
    sequenceBandMask(minibatch, { lowest, highest }, "product"),
  );
}

/** `geo-band`: as `seq-band`, by the geometric mean of the ratios, so that long ones leave no sooner. */
export function geometricBand<N extends StateName>(
  inner: LossPart<N>,
  lowest = 0.99,
  highest = 1.01,
): LossPart<N> {
  return corrected("geo-band", inner, (minibatch) =>
    sequenceBandMask(minibatch, { lowest, highest }, "geometric-mean"),
  );
}

/** `veto`: without sequences in which one token's ratio is absurd. */
export function outlierVeto<N extends StateName>(
  inner: LossPart<N>,
  lowest = 1e-4,
  highest = 100,
): LossPart<N> {
  return corrected("veto", inner, (minibatch) => outlierVetoMask(minibatch, { lowest, highest }));
}

/** `kl-mask`: without sequences that lie more than `limit` nats a token from what sampled them. */
export function divergenceMask<N extends StateName>(
  inner: LossPart<N>,
  limit = 0.01,
  estimator: "k2" | "k3" = "k3",
): LossPart<N> {
  return corrected("kl-mask", inner, (minibatch) => divergenceMaskOf(minibatch, estimator, limit));
}

/** `m2po`: without the fewest tokens that bring the log-ratios' second moment to `limit` nats². */
export function secondMoment<N extends StateName>(inner: TokenLoss<N>, limit = 0.04): LossPart<N> {
  return corrected("m2po", inner, (minibatch) => secondMomentMask(minibatch, limit));
}
