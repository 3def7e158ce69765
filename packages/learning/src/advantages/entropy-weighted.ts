/**
 * `entropy-w`: a token's advantage grows with its entropy, so decisions learn more than tokens that were
 * certain. Not an entropy bonus: it does not reward entropy, and no derivative flows through it.
 *
 * Source: Dong et al. 2025, "Agentic Entropy-Balanced Policy Optimization" (AEPO), arXiv:2510.14545
 * (entropy-aware advantage estimation); Cheng et al. 2025, "Reasoning with Exploration", arXiv:2506.14758
 * (the bounded additive form).
 */
import { WaggleError } from "@waggle/protocol";
import { definePart } from "../composition/part-options.ts";
import type { AdvantagePart, RewardedTrajectory } from "../composition/part.ts";
import type { StateName } from "../composition/state.ts";
import { deviationOf, meanOf } from "../statistics.ts";
import {
  finiteAt,
  forEachLossToken,
  type LossMask,
  requireRows,
  type TokenRows,
  zeroRows,
} from "../token-rows.ts";
import { advantagePart } from "./credit.ts";

/** How entropy changes an advantage. */
export type EntropyWeighting =
  /** A · (1 + α · z), with z the token's entropy as a z-score over the batch, cut to ±`most`. */
  | { readonly form: "scaled"; readonly alpha: number; readonly most?: number }
  /** A + min(α · H, |A| / κ) with κ > 1: never flips the sign. */
  | { readonly form: "added"; readonly alpha: number; readonly kappa: number };

/**
 * `[B][T]` advantages, 0 outside the mask. With α = 0 they are unchanged.
 *
 * @param entropies - `[B][T]` nats, detached.
 * @throws WaggleError `INVALID_ARGUMENT` for a weighting that could flip an advantage's sign.
 */
export function entropyWeightedAdvantages(
  advantages: TokenRows,
  entropies: TokenRows,
  lossMask: LossMask,
  weighting: EntropyWeighting,
): Float64Array[] {
  requireRows(lossMask, { advantages, entropies });
  const most = weighting.form === "scaled" ? (weighting.most ?? 2) : 0;
  const turns =
    weighting.form === "scaled" ? Math.abs(weighting.alpha) * most >= 1 : weighting.kappa <= 1;
  if (turns) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `a weighting must keep the sign of advantages (alpha · most < 1, kappa > 1), got ${JSON.stringify(weighting)}; lower alpha or raise kappa`,
    );
  }
  const kept: number[] = [];
  forEachLossToken(lossMask, (b, t) => kept.push(finiteAt(entropies, "entropies", b, t)));
  const mean = meanOf(kept);
  const deviation = deviationOf(kept, "population");
  const result = zeroRows(lossMask);
  forEachLossToken(lossMask, (b, t) => {
    const advantage = finiteAt(advantages, "advantages", b, t);
    const entropy = entropies[b]![t]!;
    if (weighting.form === "added") {
      const bonus = Math.min(weighting.alpha * entropy, Math.abs(advantage) / weighting.kappa);
      result[b]![t] = advantage === 0 ? 0 : advantage + bonus;
      return;
    }
    const z = deviation === 0 ? 0 : (entropy - mean) / deviation;
    result[b]![t] = advantage * (1 + weighting.alpha * Math.max(-most, Math.min(most, z)));
  });
  return result;
}

/** `entropy-w`: scales the advantages of `inner` up for tokens with more entropy than the batch's average. */
export function entropyWeighted<N extends StateName>(
  inner: AdvantagePart<N, "group">,
  weighting: EntropyWeighting,
): AdvantagePart<N, "group"> {
  return definePart({}, (_, [estimator]) => weighedByEntropy(estimator, weighting), [inner]);
}

function weighedByEntropy<N extends StateName>(
  inner: AdvantagePart<N, "group">,
  weighting: EntropyWeighting,
): AdvantagePart<N, "group"> {
  return advantagePart(
    "entropy-w",
    "group",
    (groups, context) => {
      const estimated = inner.estimate(groups, context);
      const rows = groups
        .flatMap(({ trajectories }) => trajectories)
        .flatMap((rewarded) => {
          const own = estimated.advantages.get(rewarded.trajectory.id) ?? [];
          const entropies = entropiesOf(rewarded);
          return own.map((row, sample) => ({
            id: rewarded.trajectory.id,
            row,
            mask: rewarded.lossMask[sample] ?? [],
            entropies: entropies[sample] as ArrayLike<number>,
          }));
        });
      const weighted = entropyWeightedAdvantages(
        rows.map(({ row }) => row),
        rows.map(({ entropies }) => entropies),
        rows.map(({ mask }) => mask),
        weighting,
      );
      const advantages = new Map<string, Float64Array[]>();
      for (const [r, { id }] of rows.entries()) {
        advantages.set(id, [...(advantages.get(id) ?? []), weighted[r] as Float64Array]);
      }
      return { ...estimated, advantages };
    },
    { needs: inner.needs, readsEntropies: true, around: [inner] },
  );
}

/** `[samples][T]` entropies that the sampler recorded; 0 for given tokens. */
function entropiesOf({ trajectory }: RewardedTrajectory): TokenRows {
  return trajectory.samples.map(({ sequence, spans }) => {
    const row = new Float64Array(sequence.tokenIds.length);
    for (const { segment, start } of spans) row.set(segment.entropies, start);
    return row;
  });
}
