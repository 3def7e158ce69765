/** Loss parts of a critic. */
import type { LossPart, Minibatch } from "../composition/part.ts";
import { valueLoss } from "../losses/value-loss.ts";
import { lossPart, present } from "./loss-part.ts";

/**
 * What the critic's loss weighs beside the policy's. Its gradient moves the heads alone, which Adam gives
 * steps of one size whatever the weight; a small one leaves the norm that is clipped to the policy.
 */
export const CRITIC_WEIGHT = 0.05;

/**
 * `value`: the critic is fitted to the returns, at every token or, where it is asked once a turn, where turns
 * begin. The decoder is the policy's: a critic's gradient in the adapter that both share made the policy
 * unlearn (as VL-DAC says too, which stops it; other trainers have a model of its own for the critic).
 */
export function critic(at: "tokens" | "turns" = "tokens"): LossPart<"critic"> {
  const part = lossPart<"critic">(
    "value",
    (minibatch) => {
      const values = present(minibatch.values, "value", "values of a critic");
      const targets = present(minibatch.returns, "value", "returns to fit");
      return at === "tokens"
        ? valueLoss(
            { lossMask: minibatch.lossMask, values, targets },
            { form: "squared" },
            minibatch,
          )
        : valueLoss({ lossMask: turnStarts(minibatch), values, targets });
    },
    { needs: ["critic"], derivatives: ["values"] },
  );
  return { ...part, endsAtHeads: true };
}

/** The first token of each turn, of those that count. */
function turnStarts({ lossMask, trajectories, samples }: Minibatch): boolean[][] {
  return lossMask.map((row, b) => {
    const turns = trajectories[b]?.trajectory.turns ?? [];
    const starts = new Set(
      turns.filter(({ sample }) => sample === samples[b]).map(({ start }) => start),
    );
    return row.map((counts, t) => counts && starts.has(t));
  });
}
