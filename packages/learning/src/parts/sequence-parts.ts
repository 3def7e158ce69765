/** Loss parts that judge a sequence as one: its advantage and its weight are single numbers. */
import { WaggleError } from "@waggle/protocol";
import type { LossPart, Minibatch } from "../composition/part.ts";
import type { StateName } from "../composition/state.ts";
import { offPolicySequenceMask } from "../corrections/divergence-masks.ts";
import { geometricMeanSurrogate } from "../losses/geometric-mean.ts";
import type { TokenRows } from "../token-rows.ts";
import { lossPart, weighed } from "./loss-part.ts";

/** A loss that no weight of single tokens can be put around. */
export type SequenceLoss = LossPart & { readonly bySequence: true };

/** `gmpo`: a sequence's ratio is the geometric mean of its tokens', each cut at ±`logBound` nats. */
export function geometricMean(logBound = 0.4): SequenceLoss {
  const part = lossPart("gmpo", (minibatch) =>
    geometricMeanSurrogate(
      {
        ...minibatch,
        sequenceAdvantages: ofSequences(minibatch, minibatch.advantages, "gmpo", "advantage"),
        sequenceWeights: ofSequences(minibatch, minibatch.weights, "gmpo", "weight"),
      },
      logBound,
      minibatch,
    ),
  );
  return { ...part, bySequence: true };
}

/**
 * `opsm`: `inner` without sequences that are pushed down and have become less likely by more than `limit`
 * nats a token, by the policy as it is now.
 */
export function offPolicyMask<N extends StateName>(inner: LossPart<N>, limit: number): LossPart<N> {
  return lossPart(
    "opsm",
    (minibatch, context) => {
      const sequenceAdvantages = ofSequences(minibatch, minibatch.advantages, "opsm", "advantage");
      const { weights } = offPolicySequenceMask({ ...minibatch, sequenceAdvantages }, limit);
      return inner.compute(weighed(minibatch, weights), context);
    },
    { ...inner, around: [inner] },
  );
}

/**
 * `[B]` the one number that all loss tokens of a sequence have; 0 where there are none.
 *
 * @throws WaggleError `INVALID_ARGUMENT` where they differ.
 */
function ofSequences(
  { lossMask }: Minibatch,
  rows: TokenRows,
  part: string,
  what: string,
): Float64Array {
  return Float64Array.from(lossMask, (mask, b) => {
    const values = new Set(mask.flatMap((counts, t) => (counts ? [rows[b]?.[t] ?? 0] : [])));
    if (values.size > 1) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `loss ${part} needs one ${what} a sequence, got ${values.size} of them in row ${b}; choose parts that do not tell its tokens apart`,
      );
    }
    return [...values][0] ?? 0;
  });
}
