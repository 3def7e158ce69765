/** Cross-entropy of the chosen trajectory of each pair. */
import type { PairLoss } from "../../composition/part.ts";
import { supervisedLoss } from "../imitation/supervised-loss.ts";
import { pairLoss } from "../loss-part.ts";

/** `ce`: cross-entropy of the chosen side of each pair only. */
export function chosenCrossEntropy(): PairLoss {
  return pairLoss("ce", (minibatch) => {
    const chosen = new Set(minibatch.pairs.map(([better]) => better));
    const lossMask = minibatch.lossMask.map((mask, row) =>
      mask.map((counts) => counts && chosen.has(row)),
    );
    return supervisedLoss({ ...minibatch, lossMask });
  });
}
