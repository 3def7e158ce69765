/** Loss parts of a critic. */
import type { LossPart } from "../composition/part.ts";
import { valueLoss } from "../losses/value-loss.ts";
import { lossPart, present } from "./loss-part.ts";

/** `value`: the critic is fitted to the returns; `range` keeps it near what it said before the step. */
/**
 * What the critic's loss weighs beside the policy's where both move one adapter. The usual 0.5 is of
 * networks that share less: here its gradient took the whole norm and the policy unlearned (rl4vlm in the
 * calculator, ten steps: 71 to below 10 % of held-out tasks; with 0.05 to 86 %).
 */
export const CRITIC_WEIGHT = 0.05;

export function critic(range?: number): LossPart<"critic"> {
  return lossPart(
    "value",
    (minibatch) => {
      const values = present(minibatch.values, "value", "values of a critic");
      const targets = present(minibatch.returns, "value", "returns to fit");
      const earlierValues = present(minibatch.proximalValues, "value", "values before the step");
      const batch = { lossMask: minibatch.lossMask, values, targets };
      return valueLoss(
        batch,
        range === undefined ? { form: "squared" } : { form: "clipped", range, earlierValues },
        minibatch,
      );
    },
    { needs: ["critic"], derivatives: ["values"] },
  );
}
