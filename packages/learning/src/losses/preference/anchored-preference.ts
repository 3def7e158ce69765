/**
 * Raises the chosen answer above the reference and lowers the rejected one below it, each on its own. For pairs whose
 * chosen side is better than the policy's own text.
 *
 * Source: D'Oosterlinck et al. 2024, "Anchored Preference Optimization" (APO-zero), arXiv:2408.06266,
 * section 3. Its unpaired form is `kto` in the form `apo-zero`.
 */
import { option, definePart } from "../../composition/part-options.ts";
import type { PairLoss } from "../../composition/part.ts";
import { logistic } from "../../logistic.ts";
import type { LossResult } from "../../loss.ts";
import { pairLoss } from "../loss-part.ts";
import {
  batchOf,
  type PairCountOption,
  type PreferenceBatch,
  preferenceLoss,
} from "./preference-pairs.ts";

/** Mean over pairs of (1 − σ(β·Δ(chosen))) + σ(β·Δ(rejected)), Δ = log π − log ref, sums. */
export function anchoredPreference(
  batch: PreferenceBatch,
  options: PairCountOption & { readonly beta: number },
): LossResult {
  const { beta } = options;
  return preferenceLoss(batch, "sum", options, (chosen, rejected) => {
    const up = logistic(beta * (chosen.policy - chosen.reference));
    const down = logistic(beta * (rejected.policy - rejected.reference));
    return {
      value: 1 - up + down,
      chosenSlope: -beta * up * (1 - up),
      rejectedSlope: beta * down * (1 - down),
    };
  });
}

/** `apo`: raises the chosen side and lowers the rejected one, each relative to the reference alone. */
export function apo(beta?: number): PairLoss<"ref"> {
  return definePart({ beta: option(beta, 0.1) }, ({ beta }) =>
    pairLoss("apo", (minibatch) => anchoredPreference(batchOf(minibatch, "apo"), { beta }), {
      needs: ["ref"],
    }),
  );
}
