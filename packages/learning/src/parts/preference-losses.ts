/** Loss parts on pairs of a better and a worse trajectory. */
import { dial, fixed, made } from "../composition/making.ts";
import type { LossPart, Minibatch, PairLoss } from "../composition/part.ts";
import { anchoredPreference } from "../losses/anchored-preference.ts";
import { dpo as dpoLoss, type DpoOptions } from "../losses/dpo.ts";
import { identityPreference } from "../losses/identity-preference.ts";
import { kto as ktoLoss } from "../losses/kto.ts";
import { oddsRatioPreference } from "../losses/orpo.ts";
import { type PreferenceBatch, rowPairs } from "../losses/preference-pairs.ts";
import { supervisedLoss } from "../losses/supervised-loss.ts";
import { varianceReducedPreference } from "../losses/variance-reduced-preference.ts";
import { lossPart, pairLoss, present } from "./loss-part.ts";

function batchOf(minibatch: Minibatch, part: string): PreferenceBatch {
  return {
    ...minibatch,
    referenceLogProbs: present(minibatch.referenceLogProbs, part, "a reference policy"),
    pairs: rowPairs(minibatch.pairs),
  };
}

/** `dpo`, by default with β 0.1. */
export function dpo(beta?: number, noise?: DpoOptions["noise"]): PairLoss<"ref"> {
  return made({ beta: dial(beta, 0.1) }, (given) =>
    pairLoss(
      "dpo",
      (minibatch) => dpoLoss(batchOf(minibatch, "dpo"), { beta: given.beta, noise }),
      { needs: ["ref"] },
    ),
  );
}

/** `vrpo`: DPO from `draws` masks of each answer, drawn once for policy and reference. */
export function vrpo(beta = 0.1, draws = 8): PairLoss<"ref"> {
  return made({ beta: fixed(beta), draws: fixed(draws) }, () =>
    pairLoss(
      "vrpo",
      (minibatch, { random }) =>
        varianceReducedPreference(batchOf(minibatch, "vrpo"), { beta, draws, random }),
      { needs: ["ref"] },
    ),
  );
}

/** `ipo`: the margin is fitted to 1 / (2β) instead of pushed without end. */
export function ipo(beta = 0.1): PairLoss<"ref"> {
  return pairLoss(
    "ipo",
    (minibatch) => identityPreference(batchOf(minibatch, "ipo"), { beta, measure: "mean" }),
    { needs: ["ref"] },
  );
}

/** `apo`: the better is raised and the worse lowered, each against the reference alone. */
export function apo(beta = 0.1): PairLoss<"ref"> {
  return pairLoss("apo", (minibatch) => anchoredPreference(batchOf(minibatch, "apo"), { beta }), {
    needs: ["ref"],
  });
}

/** `orpo`: no reference. */
export function orpo(weight = 0.1): PairLoss {
  return pairLoss("orpo", (minibatch) =>
    oddsRatioPreference({ ...minibatch, pairs: rowPairs(minibatch.pairs) }, weight),
  );
}

/** `ce`: cross-entropy of the better of each pair alone. */
export function chosenCrossEntropy(): PairLoss {
  return pairLoss("ce", (minibatch) => {
    const chosen = new Set(minibatch.pairs.map(([better]) => better));
    const lossMask = minibatch.lossMask.map((mask, row) =>
      mask.map((counts) => counts && chosen.has(row)),
    );
    return supervisedLoss({ ...minibatch, lossMask });
  });
}

/** `kto`: trajectories that succeeded are liked, the others disliked; no pairs. */
export function kto(beta = 0.1, divergence = 0): LossPart<"ref"> {
  return lossPart(
    "kto",
    (minibatch) =>
      ktoLoss(
        {
          ...minibatch,
          referenceLogProbs: present(minibatch.referenceLogProbs, "kto", "a reference policy"),
          answers: minibatch.trajectories.map(({ score }, row) => ({
            segments: [{ row, start: 0, end: minibatch.lossMask[row]?.length ?? 0 }],
            isDesirable: score.reward >= 0.5,
          })),
        },
        { beta, divergence },
      ),
    { needs: ["ref"] },
  );
}
