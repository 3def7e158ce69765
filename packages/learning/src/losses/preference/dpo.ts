/**
 * Preference between two answers, relative to a reference policy. The sides of a pair may be whole answers,
 * steps or trajectories. The part `dpo`.
 *
 * Sources: Rafailov et al. 2023, "Direct Preference Optimization", arXiv:2305.18290, equation 7; labels that
 * may be flipped, Mitchell 2023, "A note on DPO with noisy preferences" (conservative) and Chowdhury et al.
 * 2024, "Provably Robust DPO", arXiv:2403.00409, equation 10 (robust); for steps e.g. "Watch Every Step!"
 * (IPR), arXiv:2406.11176.
 */
import { WaggleError } from "@waggle/protocol";
import { option, definePart } from "../../composition/part-options.ts";
import type { PairLoss } from "../../composition/part.ts";
import { logistic, logLogistic } from "../../logistic.ts";
import type { LossResult } from "../../loss.ts";
import { pairLoss } from "../loss-part.ts";
import {
  batchOf,
  type PairCountOption,
  type PreferenceBatch,
  preferenceLoss,
} from "./preference-pairs.ts";

/** Options of `dpoLoss`. */
export type DpoOptions = PairCountOption & {
  /** Strength of the tie to the reference; 0.1 is usual. */
  readonly beta: number;
  /** How to account for flipped labels. Default: not at all. */
  readonly noise?:
    | {
        /**
         * `conservative`: the label is right with probability 1 − flipped. `robust`: unbiased under such
         * flips.
         */
        readonly kind: "conservative" | "robust";
        /** Share of flipped labels, in [0, 0.5). */
        readonly flipped: number;
      }
    | undefined;
};

/** Mean over pairs of −log σ(β·h), h = (log π − log ref)(chosen) − (log π − log ref)(rejected), sums. */
export function dpoLoss(batch: PreferenceBatch, options: DpoOptions): LossResult {
  const { beta, noise } = options;
  const flipped = noise?.flipped ?? 0;
  if (!(flipped >= 0 && flipped < 0.5)) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `the share of flipped labels must be in [0, 0.5), got ${flipped}; at 0.5 labels carry no preference`,
    );
  }
  // Both forms are a·(−log σ(βh)) + b·(−log σ(−βh)).
  const scale = noise?.kind === "robust" ? 1 / (1 - 2 * flipped) : 1;
  const right = (1 - flipped) * scale;
  const wrong = (noise?.kind === "robust" ? -flipped : flipped) * scale;
  return preferenceLoss(batch, "sum", options, (chosen, rejected) => {
    const margin = chosen.policy - chosen.reference - (rejected.policy - rejected.reference);
    const x = beta * margin;
    const slope = beta * (wrong * logistic(x) - right * logistic(-x));
    return {
      value: -right * logLogistic(x) - wrong * logLogistic(-x),
      chosenSlope: slope,
      rejectedSlope: -slope,
    };
  });
}

/** `dpo`, by default with β 0.1. */
export function dpo(beta?: number, noise?: DpoOptions["noise"]): PairLoss<"ref"> {
  return definePart({ beta: option(beta, 0.1) }, (given) =>
    pairLoss(
      "dpo",
      (minibatch) => dpoLoss(batchOf(minibatch, "dpo"), { beta: given.beta, noise }),
      { needs: ["ref"] },
    ),
  );
}
