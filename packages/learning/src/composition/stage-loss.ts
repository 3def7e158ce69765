/** The loss that a stage minimizes: the weighted sum of its losses and its KL term. */
import { klTermLoss } from "../kl/kl-term.ts";
import { addLosses, type LossResult, scaleLoss } from "../loss.ts";
import type { Minibatch, PartContext } from "./part.ts";
import type { Stage } from "./stage.ts";

export function stageLoss(stage: Stage, minibatch: Minibatch, context: PartContext): LossResult {
  const losses = stage.losses.map(({ loss, weight }) => {
    const result = loss.compute(minibatch, context);
    return weight === 1 ? result : scaleLoss(result, weight);
  });
  const kl = klTermLoss(stage, minibatch, context);
  return addLosses(...losses, ...(kl === null ? [] : [kl]));
}
