/**
 * Fits the preference margin to a fixed value, so pairs that always have the same label do not push without
 * bound.
 *
 * Source: Azar et al. 2023, "A General Theoretical Paradigm to Understand Learning from Human Preferences"
 * (IPO), arXiv:2310.12036, equation 17.
 */
import { option, definePart } from "../../composition/part-options.ts";
import type { PairLoss } from "../../composition/part.ts";
import type { LossResult } from "../../loss.ts";
import { pairLoss } from "../loss-part.ts";
import {
  batchOf,
  type PairCountOption,
  type PreferenceBatch,
  preferenceLoss,
  type SideMeasure,
} from "./preference-pairs.ts";

/**
 * Mean over pairs of (h − 1/(2β))².
 *
 * @param options - `measure`: log-probs of a side as the sum over its tokens, as published, or as their mean,
 *   as in TRL.
 */
export function identityPreference(
  batch: PreferenceBatch,
  options: PairCountOption & { readonly beta: number; readonly measure: SideMeasure },
): LossResult {
  return preferenceLoss(batch, options.measure, options, (chosen, rejected) => {
    const margin = chosen.policy - chosen.reference - (rejected.policy - rejected.reference);
    const gap = margin - 1 / (2 * options.beta);
    return { value: gap * gap, chosenSlope: 2 * gap, rejectedSlope: -2 * gap };
  });
}

/** `ipo`: fits the margin to 1 / (2β) instead of raising it without bound. */
export function ipo(beta?: number): PairLoss<"ref"> {
  return definePart({ beta: option(beta, 0.1) }, ({ beta }) =>
    pairLoss(
      "ipo",
      (minibatch) => identityPreference(batchOf(minibatch, "ipo"), { beta, measure: "mean" }),
      { needs: ["ref"] },
    ),
  );
}
